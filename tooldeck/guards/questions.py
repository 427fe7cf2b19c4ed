"""What a person should know before answering a question, however it is put: on a card or at a prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from tooldeck.core.questions import Question
from tooldeck.core.references import properties
from tooldeck.guards.links import url_warnings

__all__ = ["question_warnings"]

_SECRET = re.compile(
    r"passw(or)?d|pass(phrase|code)|(?<![a-z])(pwd|pin|otp|cvv|cvc)(?![a-z])|secret|token|credential"
    r"|(api|access|private|auth)[ _-]?key|(card|account|security)[ _-]?number",
    re.IGNORECASE,
)


def question_warnings(question: Question) -> list[str]:
    """Sentences about a page that is to be visited, or about fields that look as if a secret were wanted."""
    if question.mode == "url":
        return url_warnings(question.url)
    named = [
        name
        for name, schema, _ in properties(question.schema, question.schema)
        if _SECRET.search(f"{name} {_title(schema)}")
    ]
    if named and question.kind == "server":
        return [f"{', '.join(named)} looks like a secret, and a server must not ask for one in a form."]
    if question.kind == "model" and (named or _SECRET.search(question.message)):
        return ["This looks like the wish for a secret; the model would read it, and its provider too."]
    return []


def _title(schema: Any) -> Any:
    return cast("Mapping[str, Any]", schema).get("title", "") if isinstance(schema, Mapping) else ""

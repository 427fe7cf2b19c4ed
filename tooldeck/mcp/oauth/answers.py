"""What authorization servers answer, read with care: nothing in it is quoted that may be a secret."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import httpx2
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import BaseModel, ValidationError

from tooldeck.guards.text import one_line
from tooldeck.mcp.oauth.redirect import SignInFailed
from tooldeck.store.masking import scrub

__all__ = ["check_answer", "refusal"]

_SHOWN = 300
# Characters of a reason in the server's words.
_OPEN = frozenset({"grant_type", "resource", "audience", "scope", "client_id", "redirect_uri"})
# Fields of a request that are no secrets; error texts name them.


def check_answer(request: httpx2.Request, response: httpx2.Response) -> None:
    """Raise `SignInFailed` for answers that the library would quote in its errors and logs.

    A refused renewal is none of them: the library then signs in anew.
    """
    if request.method != "POST":
        return
    form = dict(parse_qsl(request.content.decode("utf-8", "replace")))
    grant = form.get("grant_type")
    if not response.is_success:
        if grant is not None and grant != "refresh_token":
            raise SignInFailed(f"the authorization server refused: {refusal(response, form)}")
        return
    kind: type[BaseModel] = OAuthToken if grant is not None else OAuthClientInformationFull
    try:
        kind.model_validate_json(response.content)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors()[0]["loc"]) or "JSON"
        raise SignInFailed(f"its authorization server gave a wrong answer: {place}") from None


def refusal(response: httpx2.Response, form: Mapping[str, Any]) -> str:
    """The reason in the words of RFC 6749, without anything of `form` that is secret; else the status."""
    try:
        said = json.loads(response.content)
    except ValueError:
        said = None
    words = [said.get(name) for name in ("error", "error_description")] if isinstance(said, dict) else []
    text = " ".join(one for one in words if isinstance(one, str))
    secrets = [str(value) for name, value in form.items() if name not in _OPEN]
    return scrub(one_line(text)[:_SHOWN].rstrip("."), secrets) or f"HTTP {response.status_code}"

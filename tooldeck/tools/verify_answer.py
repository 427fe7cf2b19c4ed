"""``verify_answer``: holds an answer against a description of it, before it is given to anybody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tooldeck.core.tool import Tool
from tooldeck.guards.patterns import UnsafePattern, matches_whole
from tooldeck.tools.answers.formats import FORMATS, Misread, misread
from tooldeck.tools.answers.spec import AnswerSpec, Issue, checker, quoted
from tooldeck.tools.answers.wording import citations, language, lengths, phrases
from tooldeck.tools.declaring import builtin

__all__ = ["verify", "verify_answer"]


def verify(answer: Any, spec: AnswerSpec) -> dict[str, Any]:
    """Check an answer against a spec before giving it: format, JSON Schema, length, phrases, citations.

    Gives ok, the issues (where, which rule, got, expected, the smallest change that would do) and, when it
    is ok, the answer in normal form.

    Args:
        answer: The answer, as text or as a JSON value.
        spec: What it has to be like.
    """
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    value, issues = _read(answer, text, spec)
    if not issues:
        issues += _of_the_value(value, spec)
    issues += _of_the_text(text, spec)
    if issues:
        return {"ok": False, "issues": [issue.told() for issue in issues]}
    return {"ok": True, "issues": [], "normalised": value}


def _read(answer: Any, text: str, spec: AnswerSpec) -> tuple[Any, list[Issue]]:
    """The answer as a value of its format, or why it is none."""
    form = "json" if spec.json_schema is not None and spec.format == "text" else spec.format
    if not isinstance(answer, str) and (form == "json" or (form == "list" and isinstance(answer, list))):
        return answer, []
    if not text.strip():
        return None, [Issue("", "format", "nothing", "an answer", "give an answer")]
    try:
        return FORMATS[form](text, spec), []
    except Misread as fault:
        return None, [misread(form, text, spec, fault)]


def _of_the_value(value: Any, spec: AnswerSpec) -> Iterator[Issue]:
    if spec.json_schema is not None:
        for problem in checker(spec.json_schema).check({"answer": value}).problems:
            place = problem.path.removeprefix("answer").removeprefix(".")
            yield Issue(place, "json_schema", problem.got, problem.wanted, _change(place, problem.wanted))
    if isinstance(value, list):
        yield from _of_the_items(value, spec)


def _change(place: str, wanted: str) -> str:
    if wanted.startswith("is required"):
        return f"add {place}"
    return "" if "not a known name" not in wanted or "did you mean" in wanted else f"leave out {place}"


def _of_the_items(items: list[Any], spec: AnswerSpec) -> Iterator[Issue]:
    have = f"{len(items)} items"
    if spec.min_items is not None and len(items) < spec.min_items:
        yield Issue("", "min_items", have, f"{spec.min_items} or more", f"add {spec.min_items - len(items)}")
    if spec.max_items is not None and len(items) > spec.max_items:
        yield Issue(
            "", "max_items", have, f"{spec.max_items} or fewer", f"drop {len(items) - spec.max_items}"
        )
    if spec.unique:
        seen: dict[str, int] = {}
        for place, item in enumerate(items):
            first = seen.setdefault(_identity(item), place)
            if first != place:
                hint = f"drop item {place + 1}"
                yield Issue(f"[{place}]", "unique", quoted(item), f"another one than [{first}]", hint)


def _identity(item: Any) -> str:
    text = item if isinstance(item, str) else json.dumps(item, sort_keys=True)
    return " ".join(text.casefold().split())


def _of_the_text(text: str, spec: AnswerSpec) -> Iterator[Issue]:
    if spec.pattern is not None:
        try:
            fits = matches_whole(spec.pattern, text.strip())
        except UnsafePattern:  # one that needs Python's engine, and a long answer
            fits = None
        if not fits:
            why = "" if fits is False else "it is too long for a pattern with look-around"
            yield Issue("", "pattern", quoted(text), f"all of it to match {spec.pattern}", why)
    yield from lengths(text, spec)
    yield from phrases(text, spec)
    if spec.language is not None:
        yield from language(text, spec.language)
    if spec.sources is not None:
        yield from citations(text, spec.sources)


verify_answer: Tool = builtin(
    name="verify_answer",
    effects="none",
    examples=(
        {"answer": "2026-01-31", "spec": {"format": "date"}},
        {"answer": "The answer is 42.", "spec": {"format": "integer", "maximum": 100}},
        {
            "answer": '{"name": "Ada"}',
            "spec": {"json_schema": {"type": "object", "required": ["name", "born"]}},
        },
        {
            "answer": 'Water "boils at 100 °C" [1].',
            "spec": {"sources": {"1": "At sea level water boils at 100 °C."}, "max_words": 20},
        },
    ),
)(verify)
"""The tool."""

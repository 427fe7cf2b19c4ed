"""Reading the arguments of a call: a mapping, JSON text as a model sends it, or nothing.

Repairs here only take packaging away (a code fence, JSON inside a JSON string); each is noted. Text that is
cut off, keys that contradict each other and numbers that JSON does not have are refused, never guessed at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tooldeck.core.parameters import Note, Problem

__all__ = ["read_arguments"]

MAX_CHARS = 1_000_000
"""Longer argument texts are refused unread."""

_FENCE = re.compile(r"\A\s*```[\w-]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


class _Refused(ValueError):
    """The text is no acceptable JSON; the message says why."""


def read_arguments(
    raw: Mapping[str, Any] | str | None,
) -> tuple[Mapping[str, Any], list[Note], list[Problem]]:
    """The arguments as a mapping, with a note per repair, or the problems that make it impossible."""
    if raw is None:
        return {}, [], []
    if isinstance(raw, Mapping):
        odd = [key for key in raw if not isinstance(key, str)]
        return (raw, [], []) if not odd else ({}, [], [Problem("", f"keys must be text, not {odd[0]!r}")])
    if not isinstance(raw, str):
        return (
            {},
            [],
            [Problem("", "must be a JSON object or a mapping", f"{type(raw).__name__} {raw!r}"[:60])],
        )
    notes: list[Note] = []
    try:
        value = _read_text(raw, notes)
    except _Refused as refusal:
        return {}, [], [Problem("", str(refusal))]
    if value is None:
        return {}, notes, []
    if not isinstance(value, dict):
        kind = {list: "a list", str: "text", bool: "true or false"}.get(type(value), "a number")
        return {}, [], [Problem("", f"must be a JSON object, not {kind}", raw[:60])]
    return value, notes, []


def _read_text(text: str, notes: list[Note]) -> Any:
    if len(text) > MAX_CHARS:
        raise _Refused(f"{len(text)} characters of arguments are too many; {MAX_CHARS} are read at most")
    if not text.strip():
        return None
    fenced = _FENCE.match(text)
    if fenced:
        text = fenced[1]
        notes.append(Note("arguments", "took the arguments out of a code fence"))
    value = _parse(text)
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _parse(value)
        notes.append(Note("arguments", "the arguments were JSON inside a JSON string"))
    return value


def _parse(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_no_conflicts, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        shown = text[max(0, error.pos - 20) : error.pos + 20]
        where = f"line {error.lineno}, column {error.colno}"
        raise _Refused(f"is not valid JSON: {error.msg.lower()} at {where}, near {shown!r}") from None
    except RecursionError:
        raise _Refused("is nested too deeply") from None
    except ValueError as error:
        raise _Refused(str(error)) from None


def _no_conflicts(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise _Refused(f"has the key {key!r} twice with different values")
        found[key] = value
    return found


def _no_constant(word: str) -> Any:
    raise _Refused(f"has {word}, which is no JSON number")

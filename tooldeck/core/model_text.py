"""Values and errors as text for a model: plain where that is enough, else JSON, cut so that it stays valid.

Limits are characters; they hold from `tooldeck.core.options.MIN_CHARS` on.
"""

from __future__ import annotations

import contextlib
import json
from typing import Any

from pydantic_core import to_json

from tooldeck.core.strangers import stilled, to_text
from tooldeck.core.vocabulary import Status

__all__ = ["cut", "error_text", "value_text"]

_STEPS = ((200, 4_000), (100, 2_000), (50, 1_000), (20, 500), (10, 200), (5, 100), (3, 40))
"""Ever smaller limits tried in turn: members per list or object, characters per string."""


def value_text(value: Any, limit: int) -> str:
    """`value` as a model reads it, at most `limit` characters: strings as they are, the rest as JSON."""
    if issubclass(type(value), str):  # asked of its type, since a proxy may raise when asked itself
        return cut(_sound(str.__str__(value)), limit)
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    try:
        plain = stilled(value)
        text = to_json(plain, fallback=to_text, inf_nan_mode="strings", bytes_mode="base64").decode()
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return cut(_sound(to_text(value)), limit)
    if text.startswith('"'):  # a date, a path, an object that is only its text
        return cut(json.loads(text), limit)
    return text if len(text) <= limit else _cut_json(text, limit)


def error_text(status: Status, error: str, limit: int) -> str:
    """An end other than ``ok`` as a model reads it."""
    return cut(_sound(f"Error ({status}): {error}"), limit)


def cut(text: str, limit: int) -> str:
    """The head and the tail of a long text, with a mark that says how much there was."""
    if len(text) <= limit:
        return text
    mark = f"\n… [{len(text)} characters in all; the middle is left out] …\n"
    room = limit - len(mark)
    head = room * 2 // 3
    return text[:head] + mark + text[len(text) - (room - head) :]


def _cut_json(text: str, limit: int) -> str:
    """Valid JSON of at most `limit` characters with the structure of `text`, saying what is missing."""
    with contextlib.suppress(ValueError, RecursionError):  # numbers or nesting beyond what Python reads
        whole = json.loads(text)
        for members, characters in _STEPS:
            shorter = _dumps(_pruned(whole, members, characters))
            if len(shorter) <= limit:
                return shorter
    said = {"cut": f"{len(text)} characters in all", "start": ""}
    room = (limit - len(_dumps(said))) // 2  # each character takes two at most, behind a backslash
    return _dumps({**said, "start": text[:room]})


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _pruned(value: Any, members: int, characters: int) -> Any:
    if isinstance(value, str) and len(value) > characters:
        return f"{value[:characters]}… [{len(value)} characters]"
    if isinstance(value, list):
        kept = [_pruned(item, members, characters) for item in value[:members]]
        return kept if len(value) <= members else [*kept, f"… [{len(value)} items]"]
    if isinstance(value, dict):
        kept = {key: _pruned(value[key], members, characters) for key in list(value)[:members]}
        return kept if len(value) <= members else {**kept, "…": f"[{len(value)} keys]"}
    return value


def _sound(text: str) -> str:
    """The text without lone surrogates, which no encoding can carry to a model; they are shown as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()

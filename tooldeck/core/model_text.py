"""Values and errors as text for a model: plain where that is enough, else JSON, cut so that it stays valid."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json, to_jsonable_python

from tooldeck.core.vocabulary import Status

__all__ = ["error_text", "value_text"]

_STEPS = ((200, 4_000), (100, 2_000), (50, 1_000), (20, 500), (10, 200), (5, 100), (3, 40))
"""Ever smaller limits tried in turn: members per list or object, characters per string."""


def value_text(value: Any, limit: int) -> str:
    """`value` as a model reads it, at most `limit` characters: strings as they are, the rest as JSON."""
    if isinstance(value, str):
        return cut(value, limit)
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    try:
        text = to_json(value, fallback=_unknown, inf_nan_mode="strings", bytes_mode="base64").decode()
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return cut(_safe_str(value), limit)
    if len(text) >= 2 and text[0] == '"' and not isinstance(value, bytes | bytearray):
        return cut(str(to_jsonable_python(value, fallback=_unknown)), limit)
    return text if len(text) <= limit else _cut_json(text, limit)


def error_text(status: Status, error: str, limit: int) -> str:
    """An end other than ``ok`` as a model reads it."""
    return cut(f"Error ({status}): {error}", limit)


def cut(text: str, limit: int) -> str:
    """The head and the tail of a long text, with a mark that says how much is missing."""
    if len(text) <= limit:
        return text
    mark = f"\n… [{len(text)} characters in all; the middle is left out] …\n"
    room = max(0, limit - len(mark))
    head = room * 2 // 3
    return text[:head] + mark + (text[len(text) - (room - head) :] if room > head else "")


def _cut_json(text: str, limit: int) -> str:
    """Valid JSON of at most `limit` characters with the structure of `text`, saying what is missing."""
    import json

    whole = json.loads(text)
    for members, characters in _STEPS:
        shorter = json.dumps(_pruned(whole, members, characters), ensure_ascii=False, separators=(",", ":"))
        if len(shorter) <= limit:
            return shorter
    start = text[: max(0, limit // 2 - 80)]
    return json.dumps({"cut": f"{len(text)} characters in all", "start": start}, ensure_ascii=False)


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


def _unknown(value: Any) -> Any:
    """What pydantic cannot serialise: the text a person would see."""
    return _safe_str(value)


def _safe_str(value: Any) -> str:
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001 - as above
        return f"<{type(value).__name__} whose text cannot be made: {type(error).__name__}>"

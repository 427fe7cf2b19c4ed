"""Values and errors as text for a model: plain where that is enough, else JSON, cut so that it stays valid.

Limits are characters; they hold from `tooldeck.core.options.MIN_CHARS` on. What is cut says how much there
was and, where a `handle` is given, under which name the whole is kept.
"""

from __future__ import annotations

import contextlib
import json
from typing import Any

from pydantic_core import to_json

from tooldeck.core.graphemes import cut_after, cut_before
from tooldeck.core.strangers import stilled, to_text
from tooldeck.core.vocabulary import Status

__all__ = ["Cut", "cut", "error_text", "value_text"]

_STEPS = ((200, 4_000), (100, 2_000), (50, 1_000), (20, 500), (10, 200), (5, 100), (3, 40))
"""Ever smaller limits tried in turn: members per list or object, characters per string."""
_BYTES = frozenset({bytes, bytearray, memoryview})
_MOST_ITEMS = 20_000
"""Items of an array that are written out; a larger one is told in short, as it prints itself."""


class Cut(str):  # noqa: SLOT000 - a kind of str can have no slots
    """A text that is not the whole one."""

    total: int
    """Characters of the whole."""


def _told_cut(text: str, total: int) -> Cut:
    told = Cut(text)
    told.total = total
    return told


def value_text(value: Any, limit: int, handle: str = "") -> str:
    """`value` as a model reads it, at most `limit` characters: strings as they are, the rest as JSON."""
    kind: type[Any] = type(value)  # asked of its type, since a proxy may raise when asked itself
    if kind is str and len(value) <= limit and value.isascii():
        return value
    if issubclass(kind, str):
        return cut(_sound(str.__str__(value)), limit, handle)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind in _BYTES:
        read = _read_bytes(bytes(value))
        if read is not None:
            return cut(read, limit, handle)
    try:
        plain = stilled(value)
        text = to_json(plain, fallback=_plain, inf_nan_mode="strings", bytes_mode="base64").decode()
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return cut(_sound(to_text(value)), limit, handle)
    if text.startswith('"'):  # a date, a path, an object that is only its text
        return cut(json.loads(text), limit, handle)
    return text if len(text) <= limit else _cut_json(text, limit, handle)


def error_text(status: Status, error: str, limit: int, handle: str = "") -> str:
    """An end other than ``ok`` as a model reads it."""
    return cut(_sound(f"Error ({status}): {error}"), limit, handle)


def cut(text: str, limit: int, handle: str = "") -> str:
    """The head and the tail of a long text, with a mark that says what is missing; no character is split."""
    if len(text) <= limit:
        return text
    kept = f"; the whole is kept as {handle}" if handle else ""
    mark = f"\n… [{len(text)} characters in all; the middle is left out{kept}] …\n"
    room = max(2, limit - len(mark))
    head = cut_before(text, room - room // 3)
    tail = cut_after(text, len(text) - room // 3)
    return _told_cut(text[:head] + mark + text[tail:], len(text))


def _read_bytes(data: bytes) -> str | None:
    """Bytes as text where most of them are text, odd ones as escapes; None for other data."""
    if 0 in data:
        return None
    text = data.decode("utf-8", "replace")
    odd = sum(char == "\ufffd" or not (char.isprintable() or char in "\t\n\r") for char in text)
    return data.decode("utf-8", "backslashreplace") if odd * 5 <= len(data) * 2 else None


def _plain(value: Any) -> Any:
    """A value that JSON does not know: numbers and arrays of another library as such, else its text."""
    if type(value).__module__.partition(".")[0] == "numpy":
        if hasattr(value, "tolist") and getattr(value, "size", 0) <= _MOST_ITEMS:
            return value.tolist()
        return f"array of shape {getattr(value, 'shape', '?')}: {to_text(value)}"
    return to_text(value)


def _cut_json(text: str, limit: int, handle: str) -> str:
    """Valid JSON of at most `limit` characters with the structure of `text`, saying what is missing."""
    kept = f"; the whole is kept as {handle}" if handle else ""
    with contextlib.suppress(ValueError, RecursionError):  # numbers or nesting beyond what Python reads
        whole = json.loads(text)
        for members, characters in _STEPS:
            shorter = _dumps(_pruned(whole, members, characters, kept))
            if len(shorter) <= limit:
                return _told_cut(shorter, len(text))
    said = {"cut": f"{len(text)} characters in all{kept}", "start": ""}
    room = (limit - len(_dumps(said))) // 2  # each character takes two at most, behind a backslash
    return _told_cut(_dumps({**said, "start": text[: cut_before(text, max(0, room))]}), len(text))


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _pruned(value: Any, members: int, characters: int, kept: str = "") -> Any:
    """`value` with no more than so much of it; `kept`, said at the outermost level, is where the whole is."""
    if isinstance(value, str) and len(value) > characters:
        return f"{value[: cut_before(value, characters)]}… [{len(value)} characters]"
    if isinstance(value, list):
        items = [_pruned(item, members, characters) for item in value[:members]]
        missing = f"{len(value) - members} of {len(value)} items left out" if len(value) > members else ""
        said = _said(missing, kept)
        return [*items, f"… [{said}]"] if said else items
    if isinstance(value, dict):
        inner = {key: _pruned(value[key], members, characters) for key in list(value)[:members]}
        missing = f"{len(value) - members} of {len(value)} keys left out" if len(value) > members else ""
        said = _said(missing, kept)
        return {**inner, "…": f"[{said}]"} if said else inner
    return value


def _said(missing: str, kept: str) -> str:
    return (missing or "some of it left out") + kept if missing or kept else ""


def _sound(text: str) -> str:
    """The text without lone surrogates, which no encoding can carry to a model; they are shown as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()

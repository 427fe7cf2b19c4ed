"""Objects of strangers as text and as plain data, whatever they do when they are looked at.

A value may raise in `__str__`, `__repr__` or `__class__`; looking at an iterator uses it up, or never ends.
Everything that tells of a value goes through here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tooldeck.core.credentials import without_logins

__all__ = ["error_words", "file_fault", "quoted", "shortened", "stilled", "to_repr", "to_text"]

_LEAVES = frozenset({str, int, float, bool, type(None), bytes})
_LISTS = frozenset({list, tuple, set, frozenset})
_MAX_DEPTH = 150
"""Levels that are looked through; what lies deeper appears as its text. JSON writers give up soon after."""


def to_text(value: Any) -> str:
    """``str(value)``, or words for why there is none."""
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001 - objects of strangers may raise anything here
        return f"<{type(value).__name__} whose text cannot be made: {type(error).__name__}>"


def to_repr(value: Any) -> str:
    """``repr(value)``, or words for why there is none."""
    try:
        return repr(value)
    except Exception as error:  # noqa: BLE001 - as above
        return f"<{type(value).__name__} whose repr cannot be made: {type(error).__name__}>"


def quoted(text: str) -> str:
    """A text as Python would write it between quotes: in one line, with nothing hidden."""
    return repr(text)[1:-1]


def shortened(value: Any, limit: int = 60) -> str:
    """A value in JSON if it can be, cut to `limit` characters, without credentials in addresses."""
    try:
        shown = json.dumps(value, ensure_ascii=False)
    except Exception:  # noqa: BLE001 - not JSON: whatever its text is, if it has one
        shown = to_repr(value)
    shown = without_logins(shown)
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def error_words(error: BaseException) -> str:
    """The type of an exception and what it says, without credentials in addresses."""
    said = without_logins(to_text(error))
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def file_fault(error: Exception) -> str:
    """Why a file cannot be read or written, as a clause without a full stop."""
    match error:
        case FileNotFoundError():
            return "there is no such file"
        case IsADirectoryError():
            return "it is a folder"
        case PermissionError():
            return "there is no permission"
        case UnicodeError():
            return "it is no text in UTF-8"
        case OSError() if error.strerror:
            return error.strerror[:1].lower() + error.strerror[1:]
        case _:
            return " ".join(to_text(error).split()).rstrip(".") or type(error).__name__


def stilled(value: Any, stranger: Callable[[Any], str] = to_text) -> Any:
    """`value`, with `stranger` put in place of everything that looking at it would use up or pour out.

    The very same object where nothing of that kind is inside. Records (dataclasses, pydantic models) that
    hold such a thing are replaced whole, and so is what lies inside of itself.
    """
    return _Stilling(stranger).still(value, _MAX_DEPTH)


class _Stilling:
    """One look through a value. Each object is looked at once, however often it occurs."""

    def __init__(self, stranger: Callable[[Any], str]) -> None:
        self._stranger = stranger
        self._seen: dict[int, tuple[Any, Any]] = {}
        """What was made of each object so far; holds on to the object, so that its id stays its own."""

    def still(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in _LEAVES:
            return value
        if hasattr(kind, "__next__") or hasattr(kind, "_told_as_text_") or depth == 0:
            return self._stranger(value)
        seen = self._seen.get(id(value))
        if seen is not None:
            return self._stranger(value) if seen[1] is _BEGUN else seen[1]
        self._seen[id(value)] = (value, _BEGUN)
        calm = self._looked_into(value, kind, depth)
        self._seen[id(value)] = (value, calm)
        return calm

    def _looked_into(self, value: Any, kind: type, depth: int) -> Any:
        if kind in _LISTS:
            return self._items(value, depth)
        if issubclass(kind, dict):
            members = list(dict.values(value))
            calm = self._items(members, depth)
            return value if calm is members else dict(zip(dict.keys(value), calm, strict=True))
        if issubclass(kind, list | tuple | set | frozenset):
            return self._items(value, depth)
        if hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__pydantic_serializer__"):
            members = [getattr(value, name, None) for name in _fields(kind)]
            return value if self._items(members, depth) is members else self._stranger(value)
        return value

    def _items(self, items: Any, depth: int) -> Any:
        """The items themselves, or a list of the calm ones."""
        if _LEAVES.issuperset(map(type, items)):
            return items
        calm = [self.still(item, depth - 1) for item in items]
        return items if all(one is other for one, other in zip(calm, items, strict=True)) else calm


_BEGUN = object()


def _fields(kind: type) -> list[str]:
    known = getattr(kind, "__dataclass_fields__", None)
    return list(known if known is not None else getattr(kind, "model_fields", ()))

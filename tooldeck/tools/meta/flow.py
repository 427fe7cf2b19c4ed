"""How values flow from one step to the next: ``$query``, ``$found.results[0].url``.

A text that begins with ``$`` stands for a value: a parameter, or what an earlier step gave, whole or a part
of it. The value is passed as it is, whatever its type. ``$$`` begins a text that really begins with ``$``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.core.strangers import to_repr

__all__ = ["filled", "names_in"]

_WHOLE = re.compile(r"\$([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*|\[\d+\])*)")
_PART = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]")


def names_in(value: Any) -> list[str]:
    """The parameters and steps that the arguments of a step refer to; raises ValueError for no reference."""
    if isinstance(value, str):
        if not value.startswith("$") or value.startswith("$$"):
            return []
        found = _WHOLE.fullmatch(value)
        if found is None:
            raise ValueError(f"{value!r} is no reference; write it as $name, $name.field or $name.list[0]")
        return [found[1]]
    return [name for inner in _members(value) for name in names_in(inner)]


def filled(value: Any, known: Mapping[str, Any]) -> Any:
    """The arguments with values in place of references; what is not known yet stays as it is written.

    Raises `ExpectedError` naming the part that is not there.
    """
    if isinstance(value, str):
        if value.startswith("$$"):
            return value[1:]
        found = _WHOLE.fullmatch(value)
        return value if found is None or found[1] not in known else _part(known[found[1]], found[1], found[2])
    if isinstance(value, Mapping):
        return {name: filled(inner, known) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [filled(inner, known) for inner in value]
    return value


def _members(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []


def _part(value: Any, name: str, path: str) -> Any:
    at = f"${name}"
    for step in _PART.finditer(path):
        field, index = step[1], step[2]
        value = _field(value, field, at) if index is None else _item(value, int(index), at)
        at += step[0]
    return value


def _field(value: Any, field: str, at: str) -> Any:
    if isinstance(value, Mapping):
        if field in value:
            return value[field]
        have = ", ".join(map(str, value)) or "nothing"
        raise ExpectedError(f"{at} has no {field!r}; it has {have}.")
    if field.startswith("_") or not hasattr(value, field):
        raise ExpectedError(f"{at} has no {field!r}; it is {to_repr(value)[:200]}.")
    return getattr(value, field)


def _item(value: Any, index: int, at: str) -> Any:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise ExpectedError(f"{at} is no list; it is {to_repr(value)[:200]}.")
    if index >= len(value):
        count = len(value) or "nothing"
        raise ExpectedError(f"{at} holds {count}, so there is no [{index}]." if value else f"{at} is empty.")
    return value[index]

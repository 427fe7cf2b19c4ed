"""Structured results as records: attributes for members, dates as dates, where the output schema says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from typing import Any, cast

from tooldeck.core.python_names import python_names
from tooldeck.core.references import resolve
from tooldeck.core.vocabulary import nearest

__all__ = ["Record", "record_of"]

_FORMATS: dict[str, Callable[[str], Any]] = {
    "date-time": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}
_DEPTH = 40
# Levels of values that become records; deeper ones stay plain.


class Record(Mapping[str, Any]):
    """One object of a result: ``record.name`` and ``record["name"]``; a mapping like the plain dict.

    Members that the schema lists and the object lacks are None as attributes, and no keys. Names that Python
    cannot spell have similar ones (``user-id`` as ``user_id``), as in the signatures of tools.
    """

    __slots__ = ("_names", "_title", "_values")

    def __init__(self, title: str, values: Mapping[str, Any], listed: Iterator[str] | list[str]) -> None:
        self._title = title
        self._values = dict(values)
        self._names = {python: own for own, python in python_names([*listed, *values]).items()}

    def __getattr__(self, name: str) -> Any:
        if name in Record.__slots__ or (name.startswith("__") and name not in self._names):
            raise AttributeError(name)  # as copies ask before there is anything
        if name in self._names:
            return self._values.get(self._names[name])
        close = nearest(name, self._names, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise AttributeError(f"{self._title} has no {name!r}{hint}")

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names]

    def __repr__(self) -> str:
        told = ", ".join(f"{python}={self._values.get(own)!r}" for python, own in self._names.items())
        return f"{self._title}({told})"


def record_of(value: Any, schema: Mapping[str, Any] | None) -> Any:
    """A structured value with its objects as records, by an output schema; without one, by what is there."""
    root = schema or {}
    return _made(value, root, root, 0)


def _made(value: Any, schema: Any, root: Mapping[str, Any], depth: int) -> Any:
    if depth > _DEPTH:
        return value
    found = _alternative(resolve(schema, root) if isinstance(schema, Mapping) else {}, root, value)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        listed: Any = found.get("properties")
        known: Mapping[str, Any] = listed if isinstance(listed, Mapping) else {}
        others = found.get("additionalProperties")
        made = {name: _made(one, known.get(name, others), root, depth + 1) for name, one in members.items()}
        title = found.get("title")
        named = title if isinstance(title, str) and title.isidentifier() else "Record"
        return Record(named, made, list(known))
    if isinstance(value, list):
        return [_made(one, found.get("items"), root, depth + 1) for one in cast("list[Any]", value)]
    read = _FORMATS.get(str(found.get("format"))) if isinstance(value, str) else None
    if read is None:
        return value
    try:
        return read(value)
    except ValueError:
        return value


def _alternative(schema: Mapping[str, Any], root: Mapping[str, Any], value: Any) -> Mapping[str, Any]:
    """Of alternatives, the first whose required members are there; the schema itself where it has none."""
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        for branch in cast("list[Any]", branches) if isinstance(branches, list) else ():
            found = resolve(branch, root) if isinstance(branch, Mapping) else {}
            if _could_be(found, value):
                return found
    return schema


def _could_be(schema: Mapping[str, Any], value: Any) -> bool:
    kind = {dict: "object", list: "array", str: "string"}.get(type(value))
    if kind is None or schema.get("type", kind) != kind:
        return False
    needed = schema.get("required")
    return not isinstance(value, dict) or set(cast("list[str]", needed or [])) <= set(
        cast("dict[str, Any]", value)
    )

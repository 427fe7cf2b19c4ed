"""Repairs that a JSON Schema makes certain: arguments that do not fit, read the one way in which they can.

A repair happens only where the value as it stands fits no branch of the schema and exactly one reading does,
loses nothing and is noted. What comes out is checked like any other arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from tooldeck.core.loose_json import NoJson, read_json
from tooldeck.core.parameters import Note
from tooldeck.core.places import Location, place_text
from tooldeck.core.references import Schema, resolve
from tooldeck.core.strangers import shortened

__all__ = ["folded", "repaired"]

_MAX_DEPTH = 64
_WHOLE = re.compile(r"[+-]?[0-9]+(?:\.0+)?\Z")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+\.[0-9]+|(?:,[0-9]{3}){2,})\Z")
"""Thousands in groups, where the comma can be nothing else: ``1,234.5``, ``1,234,567``, never ``1,234``."""
_SEPARATORS = re.compile(r"[,;|\n\[\]{}]")
"""What makes a text look like several items."""
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NULLS = ("null", "None")
_NAMES: Mapping[str, Any] = {}
_LEFT = object()
"""Says that a value stays as it is."""


def folded(name: str) -> str:
    """A name without case and separators, so that ``maxResults`` and ``max_results`` are one."""
    return "".join(c for c in name.casefold() if c.isalnum())


def repaired(
    arguments: Mapping[str, Any], schema: Schema, names: Callable[[Schema], Mapping[str, Any]] | None = None
) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """The arguments with every certain repair, and a note for each; the same arguments where there is none.

    `names` gives the names of an enumeration's members with their values, where they are known.
    """
    walk = _Walk(schema, names or (lambda _: _NAMES))
    value = walk.object(dict(arguments), schema, (), 0)
    return value, tuple(walk.notes)


class _Walk:
    """One pass over arguments and schema side by side."""

    def __init__(self, root: Schema, names: Callable[[Schema], Mapping[str, Any]]) -> None:
        self.root = root
        self.names = names
        self.notes: list[Note] = []

    def note(self, place: Location, words: str) -> None:
        where = place_text(place)
        self.notes.append(Note("arguments", f"{where}: {words}" if where else words))

    # -- what may stand at a place

    def branches(self, schema: Any, depth: int = 0) -> Iterator[Schema]:
        """The alternatives that a schema has."""
        schema = resolve(schema, self.root)
        inner = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(inner, list) and depth < _MAX_DEPTH:
            for one in inner:
                yield from self.branches(one, depth + 1)
        elif isinstance(schema.get("type"), list):
            for kind in schema["type"]:
                yield {**schema, "type": kind}
        else:
            yield schema

    # -- one value

    def value(self, value: Any, schema: Any, place: Location, depth: int) -> Any:
        """The value, repaired where that is certain."""
        if depth > _MAX_DEPTH:
            return value
        branches = list(self.branches(schema))
        fitting = [branch for branch in branches if _fits(value, branch)]
        if fitting:
            return self.inside(value, fitting[0], place, depth) if len(fitting) == 1 else value
        if value in _NULLS and isinstance(value, str) and any(one.get("type") == "null" for one in branches):
            self.note(place, f'read "{value}" as null')
            return None
        readings = [
            (branch, made) for branch in branches if (made := self.reading(value, branch)) is not _LEFT
        ]
        if len({repr(made) for _, made in readings}) != 1:
            return value
        branch, made = readings[0]
        self.note(place, f"read {shortened(value)} as {shortened(made)}")
        return self.inside(made, branch, place, depth)

    def inside(self, value: Any, schema: Schema, place: Location, depth: int) -> Any:
        """A value of the right kind, with what lies in it repaired."""
        if isinstance(value, dict):
            return self.object(value, schema, place, depth)
        if isinstance(value, list):
            first = schema.get("prefixItems")
            heads = first if isinstance(first, list) else []
            rest = schema.get("items", {})
            return [
                self.value(item, heads[n] if n < len(heads) else rest, (*place, n), depth + 1)
                for n, item in enumerate(value)
            ]
        return value

    def object(self, value: dict[str, Any], schema: Schema, place: Location, depth: int) -> dict[str, Any]:
        """An object with its keys matched and its members repaired."""
        properties = schema.get("properties")
        known = properties if isinstance(properties, Mapping) else {}
        others = schema.get("additionalProperties")
        # Where other keys are let through, only one that would be missed is sure to be meant.
        free = known if others is False else [name for name in schema.get("required", ()) if name in known]
        value = self.renamed(value, known, free, place)
        return {
            key: self.value(member, known.get(key, others), (*place, key), depth + 1)
            for key, member in value.items()
        }

    def renamed(
        self, value: dict[str, Any], known: Mapping[str, Any], free: Collection[str], place: Location
    ) -> dict[str, Any]:
        """The object with keys that differ from one `free` name in case and separators only."""
        strange = [key for key in value if key not in known]
        if not strange:
            return value
        targets: dict[str, list[str]] = {}
        for name in known:
            targets.setdefault(folded(name), []).append(name)
        sources: dict[str, int] = {}
        for key in value:
            sources[folded(key)] = sources.get(folded(key), 0) + 1
        taken: dict[str, str] = {}
        for key in strange:
            names = targets.get(folded(key), [])
            if len(names) == 1 and names[0] in free and sources[folded(key)] == 1:
                taken[key] = names[0]
                self.note((*place, names[0]), f"took it from {shortened(key)}")
        return {taken.get(key, key): member for key, member in value.items()}

    # -- readings of a value that fits nothing as it stands

    def reading(self, value: Any, schema: Schema) -> Any:
        """What `value` means where `schema` stands, or `_LEFT`."""
        if "enum" in schema or "const" in schema:
            return self.member(value, schema)
        kind = schema.get("type")
        if kind == "array":
            return self.listed(value, schema)
        if isinstance(value, str):
            reader = _TEXT_READERS.get(str(kind))
            return reader(value.strip()) if reader is not None else _LEFT
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            return int(value)
        if kind == "string" and type(value) is int and not schema.keys() & {"format", "pattern"}:
            return str(value)
        return _LEFT

    def member(self, value: Any, schema: Schema) -> Any:
        """The one member of an enumeration that is meant: by case, by name, or a number by its digits."""
        members = schema.get("enum", [schema["const"]] if "const" in schema else [])
        if not isinstance(value, str) or not isinstance(members, list):
            return _LEFT
        named = {str(name): member for name, member in self.names(schema).items()}
        if value in named:
            return named[value]
        word = folded(value)
        found = [member for member in members if folded(str(member)) == word and not isinstance(member, bool)]
        found += [member for name, member in named.items() if folded(name) == word]
        meant = {repr(member): member for member in found}
        return next(iter(meant.values())) if len(meant) == 1 and word else _LEFT

    def listed(self, value: Any, schema: Schema) -> Any:
        """A list out of its JSON text, or of one item without its list."""
        if isinstance(value, str) and value.lstrip().startswith("["):
            made = _loose(value)
            return made if isinstance(made, list) else _LEFT
        if value is None or isinstance(value, list) or "prefixItems" in schema:
            return _LEFT
        if isinstance(value, str) and _SEPARATORS.search(value):
            return _LEFT
        items = list(self.branches(schema.get("items", {})))
        typed = bool(items) and all("type" in item or "enum" in item for item in items)
        return [value] if typed and value != "" and any(_fits(value, item) for item in items) else _LEFT


def _object_text(text: str) -> Any:
    made = _loose(text) if text.startswith("{") else _LEFT
    return made if isinstance(made, dict) else _LEFT


def _loose(text: str) -> Any:
    try:
        return read_json(text)[0]
    except NoJson:
        return _LEFT


def _whole(text: str) -> Any:
    if not _WHOLE.match(text) or len(text) > 1_000:
        return int(text.replace(",", "")) if _GROUPED.match(text) and "." not in text else _LEFT
    return int(text.partition(".")[0])


def _decimal(text: str) -> Any:
    if _GROUPED.match(text):
        text = text.replace(",", "")
    if not _DECIMAL.match(text):
        return _LEFT
    if _WHOLE.match(text) and "." not in text and len(text) < 1_000:
        return int(text)
    number = float(text)
    return number if abs(number) != float("inf") else _LEFT


_TEXT_READERS: Mapping[str, Callable[[str], Any]] = {
    "object": _object_text,
    "integer": _whole,
    "number": _decimal,
    "boolean": lambda text: _TRUTH.get(text.casefold(), _LEFT),
}

_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list | tuple | set | frozenset),
    "object": lambda value: isinstance(value, dict),
}


def _fits(value: Any, schema: Schema) -> bool:
    """Whether the value is of the right kind, and a member where members are listed."""
    if "const" in schema:
        return type(value) is type(schema["const"]) and value == schema["const"]
    members = schema.get("enum")
    if isinstance(members, list):
        return any(type(value) is type(member) and value == member for member in members)
    kind = _KINDS.get(str(schema.get("type")))
    return kind is None or kind(value)

"""Follows the references of a JSON Schema and puts what belongs together into one schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any
from urllib.parse import unquote

__all__ = ["Schema", "combined", "properties", "resolve"]

Schema = Mapping[str, Any]

_DEPTH = 20
"""References followed in a row before a schema counts as one that never ends."""
_MEMBERS = 1_000
"""Members of ``allOf`` that are joined, all levels together."""
_ANCHORS = 2_000
"""Schemas looked at for an anchor."""


def resolve(schema: Any, root: Schema) -> Schema:
    """Follow ``$ref`` within `root` and join ``allOf`` and what stands beside; {} for what leads nowhere.

    The work is bounded: of a schema that repeats itself beyond all use, the first parts count.
    """
    return _resolved(schema, root, count(1), 0)


def properties(schema: Any, root: Schema) -> list[tuple[str, Any, bool]]:
    """Name, schema and whether it is required, for every property of an object schema, in order.

    Properties that a condition adds are among them, as ones that may be left out.
    """
    found = resolve(schema, root)
    given = found.get("properties")
    members = dict(given) if isinstance(given, Mapping) else {}
    dependent = found.get("dependentSchemas")
    adding = [
        found.get("then"),
        found.get("else"),
        *(dependent.values() if isinstance(dependent, Mapping) else ()),
    ]
    for part in adding:
        more = resolve(part, root).get("properties")
        if isinstance(more, Mapping):
            members.update({name: inner for name, inner in more.items() if name not in members})
    required = found.get("required")
    names = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set[str]()
    listed = [(str(name), inner, name in names) for name, inner in members.items()]
    return listed + [(name, {}, True) for name in sorted(names - members.keys())]


def _resolved(schema: Any, root: Schema, joined: Iterator[int], depth: int) -> Schema:
    if not isinstance(schema, Mapping):
        return {}
    for _ in range(_DEPTH):
        reference = schema.get("$ref", schema.get("$dynamicRef"))
        if not isinstance(reference, str):
            return _joined(schema, root, joined, depth)
        target = _lookup(reference, root)
        if not isinstance(target, Mapping):
            return {}
        beside = {key: value for key, value in schema.items() if key not in ("$ref", "$dynamicRef")}
        schema = combined(beside, target) if beside else target
    return {}


def _joined(schema: Schema, root: Schema, joined: Iterator[int], depth: int) -> Schema:
    """The members of ``allOf`` are parts of the schema itself."""
    members = schema.get("allOf")
    if not isinstance(members, list) or not members or depth >= _DEPTH:
        return schema
    found: Schema = {key: value for key, value in schema.items() if key != "allOf"}
    for member in members:
        if next(joined) > _MEMBERS:
            break
        found = combined(found, _resolved(member, root, joined, depth + 1))
    return found


def combined(schema: Schema, other: Schema) -> Schema:
    """Both schemas in one: all properties, all that is required; for the rest `schema` has the last word."""
    found = {**other, **schema}
    for word in ("properties", "patternProperties"):
        first, second = schema.get(word), other.get(word)
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            found[word] = {**first, **{name: inner for name, inner in second.items() if name not in first}}
    first, second = schema.get("required"), other.get("required")
    if isinstance(first, list) and isinstance(second, list):
        found["required"] = [*first, *(name for name in second if name not in first)]
    return found


def _lookup(reference: str, root: Schema) -> Any:
    """The target of a local JSON pointer, or of an anchor; None when there is none."""
    if reference == "#" or (reference and reference == root.get("$id")):
        return root
    if not reference.startswith("#/"):
        return _anchored(reference.removeprefix("#"), root) if reference.startswith("#") else None
    place: Any = root
    for step in unquote(reference[2:]).split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, Mapping) and key in place:
            place = place[key]
        elif isinstance(place, list) and key.isdecimal() and int(key) < len(place):
            place = place[int(key)]
        else:
            return None
    return place


def _anchored(name: str, root: Schema) -> Any:
    """The schema with this anchor."""
    level: list[Any] = [root]
    seen = 0
    while level and seen < _ANCHORS:
        place = level.pop(0)
        seen += 1
        if isinstance(place, Mapping):
            if name in (place.get("$anchor"), place.get("$dynamicAnchor")):
                return place
            level += place.values()
        elif isinstance(place, list):
            level += place
    return None

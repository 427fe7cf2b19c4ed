"""Reads JSON Schemas for people: follows references, finds the kind of a value, says it in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["Shape", "describe", "properties", "resolve", "shape"]

Schema = Mapping[str, Any]

_DEPTH = 20
"""References followed in a row before a schema counts as one that never ends."""
_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "array": "list",
    "object": "object",
    "null": "nothing",
}


class Shape(NamedTuple):
    """What kind of value a schema wants."""

    kind: str
    """``choice``, a JSON type, or ``any`` when it is none of these alone."""
    nullable: bool
    """Whether null fits as well."""
    schema: Schema
    """The schema of the kind, with references and null taken out of the way."""
    options: tuple[tuple[str, Any], ...] = ()
    """Labels and values of a ``choice``."""


def resolve(schema: Any, root: Schema) -> Schema:
    """Follow ``$ref`` within `root`, keeping what stands beside it; {} when it leads nowhere."""
    if not isinstance(schema, Mapping):
        return {}
    for _ in range(_DEPTH):
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return _merged(schema, root)
        target = _lookup(reference, root)
        if not isinstance(target, Mapping):
            return {}
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return {}


def _merged(schema: Schema, root: Schema) -> Schema:
    """A lone member of ``allOf`` is the schema itself."""
    members = schema.get("allOf")
    if isinstance(members, list) and len(members) == 1 and isinstance(members[0], Mapping) and root:
        inner = members[0]
        if "$ref" in inner:
            inner = resolve(inner, root)
        return {**inner, **{key: value for key, value in schema.items() if key != "allOf"}}
    return schema


def _lookup(reference: str, root: Schema) -> Any:
    """The target of a local JSON pointer, or of an anchor; None when there is none."""
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        return None
    place: Any = root
    for step in reference[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, Mapping) and key in place:
            place = place[key]
        elif isinstance(place, list) and key.isdecimal() and int(key) < len(place):
            place = place[int(key)]
        else:
            return None
    return place


def shape(schema: Any, root: Schema) -> Shape:
    """The kind of value that `schema` wants."""
    found = resolve(schema, root)
    nullable = found.get("nullable") is True
    for word in ("anyOf", "oneOf"):
        members = found.get(word)
        if isinstance(members, list) and members:
            return _of_members(found, word, [resolve(member, root) for member in members], root)
    if "const" in found:
        return Shape("choice", nullable, found, ((_label(found["const"]), found["const"]),))
    if isinstance(found.get("enum"), list) and found["enum"]:
        return _of_enum(found)
    types = found.get("type")
    if isinstance(types, list):
        kinds = [kind for kind in types if kind != "null"]
        nullable = len(kinds) < len(types)
        return Shape(kinds[0] if len(kinds) == 1 and kinds[0] in _WORDS else "any", nullable, found)
    if types is None and isinstance(found.get("properties"), Mapping):
        types = "object"
    return Shape(types if isinstance(types, str) and types in _WORDS else "any", nullable, found)


def _of_members(found: Schema, word: str, members: list[Schema], root: Schema) -> Shape:
    """A union: with null, of constants, or of things that no single field can hold."""
    outer = {key: value for key, value in found.items() if key != word}
    others = [member for member in members if member.get("type") != "null"]
    nullable = len(others) < len(members)
    if len(others) == 1:
        inner = shape(others[0], root)
        return inner._replace(nullable=inner.nullable or nullable, schema={**inner.schema, **outer})
    if others and all("const" in member for member in others):
        options = tuple(
            (str(member.get("title") or _label(member["const"])), member["const"]) for member in others
        )
        return Shape("choice", nullable, outer, options)
    return Shape("any", nullable, found)


def _of_enum(found: Schema) -> Shape:
    values = [value for value in found["enum"] if value is not None]
    names = found.get("enumNames")
    labels = names if isinstance(names, list) and len(names) == len(found["enum"]) else None
    options = tuple(
        (str(labels[place]) if labels else _label(value), value)
        for place, value in enumerate(found["enum"])
        if value is not None
    )
    if not options:
        return Shape("null", nullable=True, schema=found)
    return Shape("choice", len(values) < len(found["enum"]), found, options)


def _label(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)


def properties(schema: Schema, root: Schema) -> list[tuple[str, Any, bool]]:
    """Name, schema and whether it is required, for every property of an object schema, in order."""
    found = resolve(schema, root)
    given = found.get("properties")
    required = found.get("required")
    names = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set[str]()
    members = dict(given) if isinstance(given, Mapping) else {}
    listed = [(str(name), inner, name in names) for name, inner in members.items()]
    return listed + [(name, {}, True) for name in sorted(names - members.keys())]


def describe(schema: Any, root: Schema, depth: int = 0) -> str:
    """The wanted value in a few words, e.g. ``list of text`` or ``whole number, 1 to 9``."""
    found = shape(schema, root)
    if found.kind == "choice":
        words = "one of " + ", ".join(
            json.dumps(value, ensure_ascii=False, default=str) for _, value in found.options
        )
    elif found.kind == "array":
        items = found.schema.get("items")
        words = (
            f"list of {describe(items, root, depth + 1)}"
            if isinstance(items, Mapping) and depth < 3
            else "list"
        )
    else:
        words = _WORDS.get(found.kind, "any JSON value") + _bounds(found.schema)
    return f"{words}, or nothing" if found.nullable and found.kind != "null" else words


def _bounds(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    if low is not None:
        return f", {low} or more"
    return f", {high} or less" if high is not None else ""

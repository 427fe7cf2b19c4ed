"""Reads JSON Schemas for people: finds the kind of a value, its alternatives, and says it in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tooldeck.core.references import Schema, combined, properties, resolve

__all__ = ["Shape", "branch_names", "describe", "properties", "resolve", "shape"]

_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "array": "list",
    "object": "object",
    "null": "nothing",
}
_FORMATS = {
    "date": "date",
    "date-time": "date and time",
    "email": "e-mail address",
    "time": "time",
    "uri": "web address",
    "uuid": "UUID",
}
_FEW = 4
"""Properties that are told of an object."""
_DEMANDS = frozenset(
    {"required", "not", "title", "description", "minProperties", "maxProperties", "dependentRequired", "if"}
)
"""Words that only demand something of a value, without saying what kind it is."""
_OWN = frozenset({"title", "description", "default", "examples", "nullable"})
"""Words about a union as a whole, which its branches do not inherit."""
_NESTED = 8
"""Unions directly within unions; more are one that never ends."""
_LISTED = 8
"""Choices that are told one by one."""


class Shape(NamedTuple):
    """What kind of value a schema wants."""

    kind: str
    """``choice``, ``union``, a JSON type, or ``any`` when it is none of these alone."""
    nullable: bool
    """Whether null fits as well."""
    schema: Schema
    """The schema of the kind, with references and null taken out of the way."""
    options: tuple[tuple[str, Any], ...] = ()
    """Labels and values of a ``choice``."""
    branches: tuple[Schema, ...] = ()
    """The schemas of a ``union``."""


def shape(schema: Any, root: Schema, depth: int = 0) -> Shape:
    """The kind of value that `schema` wants."""
    found = resolve(schema, root)
    if depth > _NESTED:
        return Shape("any", nullable=False, schema={})
    for word in ("oneOf", "anyOf"):
        members = found.get(word)
        if isinstance(members, list) and members:
            outer = {key: value for key, value in found.items() if key != word}
            branches = [resolve(member, root) for member in members]
            if all(branch.keys() <= _DEMANDS for branch in branches):
                return shape(outer, root, depth)
            return _of_branches(outer, branches, root, depth)
    nullable = found.get("nullable") is True
    if "const" in found:
        if found["const"] is None:
            return Shape("null", nullable=True, schema=found)
        return Shape("choice", nullable, found, ((_label(found["const"]), found["const"]),))
    if isinstance(found.get("enum"), list) and found["enum"]:
        return _of_enum(found)
    return _of_type(found, nullable=nullable)


def _of_type(found: Schema, *, nullable: bool) -> Shape:
    types = found.get("type")
    if isinstance(types, list):
        kinds = [kind for kind in dict.fromkeys(filter(_is_kind, types)) if kind != "null"]
        nullable = nullable or "null" in types
        if len(kinds) > 1 and len(kinds) == len([kind for kind in types if kind != "null"]):
            branches = tuple({**found, "type": kind} for kind in kinds)
            return Shape("union", nullable, found, branches=branches)
        types = kinds[0] if len(kinds) == 1 else "null" if nullable and len(types) == 1 else None
    if types is None and isinstance(found.get("properties"), Mapping):
        types = "object"
    if types is None and any(word in found for word in ("prefixItems", "items")):
        types = "array"
    return Shape(str(types) if _is_kind(types) else "any", nullable, found)


def _is_kind(word: Any) -> bool:
    return isinstance(word, str) and word in _WORDS


def _of_branches(outer: Schema, branches: list[Schema], root: Schema, depth: int) -> Shape:
    """Alternatives: with null, of constants, or of several kinds."""
    others = [branch for branch in branches if not _is_null(branch)]
    nullable = len(others) < len(branches) or outer.get("nullable") is True
    if not others:
        return Shape("null", nullable=True, schema=outer)
    if len(others) == 1:
        inner = shape(combined(outer, others[0]), root, depth + 1)
        return inner._replace(nullable=inner.nullable or nullable)
    shapes = [shape(branch, root, depth + 1) for branch in others]
    if all(inner.kind == "choice" for inner in shapes):
        options = tuple(
            (branch["title"], value)
            if "const" in branch and isinstance(branch.get("title"), str)
            else (label, value)
            for branch, inner in zip(others, shapes, strict=True)
            for label, value in inner.options
        )
        return Shape("choice", nullable or any(inner.nullable for inner in shapes), outer, _unique(options))
    base = {key: value for key, value in outer.items() if key not in _OWN}
    if isinstance(base.get("type"), list):
        del base["type"]
    return Shape("union", nullable, outer, branches=tuple(combined(branch, base) for branch in others))


def _is_null(schema: Schema) -> bool:
    return (
        schema.get("type") in ("null", ["null"])
        or schema.get("const", 0) is None
        or schema.get("enum") == [None]
    )


def branch_names(union: Shape, root: Schema) -> list[str]:
    """For each branch of a union words that tell it from the others."""
    names = [_name(branch, root) for branch in union.branches]
    if len(set(names)) < len(names):
        return [f"{place}. {name}" for place, name in enumerate(names, 1)]
    return names


def chosen_by(union: Shape, root: Schema) -> str:
    """The property whose constant marks each branch and is its name; empty where there is none."""
    marks = [_mark(branch, root) for branch in union.branches]
    names = {name for name, _ in marks}
    told = [label for _, label in marks] == branch_names(union, root)
    return names.pop() if told and len(names) == 1 else ""


def _mark(branch: Schema, root: Schema) -> tuple[str, str]:
    """The first required property with only one value, and that value in words; empty without one."""
    for name, inner, required in properties(branch, root):
        marked = shape(inner, root) if required else None
        if marked is not None and marked.kind == "choice" and len(marked.options) == 1:
            return name, marked.options[0][0]
    return "", ""


def _name(branch: Schema, root: Schema) -> str:
    """A branch in a few words: its title, the constant that marks it, what it needs, or its kind."""
    title = branch.get("title")
    if isinstance(title, str) and title:
        return title
    _, label = _mark(branch, root)
    if label:
        return label
    listed = properties(branch, root)
    needed = [name for name, _, required in listed if required] or [name for name, _, _ in listed]
    if needed:
        return f"with {', '.join(needed[:3])}"
    return describe(branch, root)


def _of_enum(found: Schema) -> Shape:
    names = found.get("enumNames")
    labels = names if isinstance(names, list) and len(names) == len(found["enum"]) else None
    options = tuple(
        (str(labels[place]) if labels else _label(value), value)
        for place, value in enumerate(found["enum"])
        if value is not None
    )
    if not options:
        return Shape("null", nullable=True, schema=found)
    nullable = None in found["enum"] or found.get("nullable") is True
    return Shape("choice", nullable, found, _unique(options))


def _unique(options: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    """Each value once, under its first label."""
    seen: dict[str, tuple[str, Any]] = {}
    for label, value in options:
        seen.setdefault(json.dumps(value, default=str), (label, value))
    return tuple(seen.values())


def _label(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)


def describe(schema: Any, root: Schema, depth: int = 0) -> str:
    """The wanted value in a few words, e.g. ``list of text`` or ``whole number, 1 to 9``."""
    found = shape(schema, root)
    if found.kind == "choice":
        listed = [json.dumps(value, ensure_ascii=False, default=str) for _, value in found.options[:_LISTED]]
        more = len(found.options) - len(listed)
        words = "one of " + ", ".join(listed) + (f" and {more} more" if more else "")
    elif found.kind == "union":
        named = [describe(inner, root, depth + 1) for inner in found.branches] if depth < 3 else ["…"]
        words = " or ".join(dict.fromkeys(named))
    elif found.kind == "array":
        items = found.schema.get("items")
        known = isinstance(items, Mapping) and items and depth < 3
        words = f"list of {describe(items, root, depth + 1)}" if known else "list"
    else:
        words = _plain_words(found, root) + _bounds(found.schema)
    return f"{words}, or nothing" if found.nullable and found.kind != "null" else words


def _plain_words(found: Shape, root: Schema) -> str:
    if found.kind == "string":
        return _FORMATS.get(str(found.schema.get("format")), "text")
    if found.kind == "object" and (listed := properties(found.schema, root)):
        names = [name for name, _, _ in listed]
        return f"object with {', '.join(names[:_FEW])}" + (", …" if len(names) > _FEW else "")
    return _WORDS.get(found.kind, "any JSON value")


def _bounds(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    if low is not None:
        return f", {low} or more"
    return f", {high} or less" if high is not None else ""

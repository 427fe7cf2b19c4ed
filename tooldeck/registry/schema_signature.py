"""A Python signature for a JSON Schema, so that a remote tool is called and completed like a function."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, Signature
from typing import Any, Literal, Union

from tooldeck.core.python_names import python_names
from tooldeck.core.references import Schema, resolve

__all__ = ["OPTIONAL", "property_schemas", "signature_for"]


class _Optional:
    """Stands for "may be left out" where the schema names no default."""

    def __repr__(self) -> str:
        return "<optional>"


OPTIONAL = _Optional()
"""The default of a parameter that may be left out and has no default of its own."""

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict[str, Any],
    "null": None,
}
_DEPTH = 4
"""How far into a type its parts are told."""


def property_schemas(schema: Schema) -> dict[str, Any]:
    """The properties that an object of `schema` may have, those of its alternatives included."""
    found = resolve(schema, schema)
    listed = dict(_mapping(found.get("properties")))
    for word in ("oneOf", "anyOf"):
        members = found.get(word)
        for member in members if isinstance(members, list) else ():
            for name, inner in _mapping(resolve(member, schema).get("properties")).items():
                listed.setdefault(name, inner)
    return listed


def signature_for(schema: Schema) -> Signature:
    """Keyword-only parameters for the schema's properties, the required ones first.

    Annotations say what is simple to say and ``Any`` otherwise. A name that no Python call could spell is
    given as a similar one (``if`` as ``if_``, ``user-id`` as ``user_id``); `JsonSchemaParameters` takes both.
    """
    properties = property_schemas(schema)
    wanted = resolve(schema, schema).get("required")
    required = [name for name in wanted if name in properties] if isinstance(wanted, list) else []
    python = python_names(properties)
    return Signature(
        [
            Parameter(
                python[name],
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if name in required else _default(properties[name], schema),
                annotation=_annotation(properties[name], schema),
            )
            for name in dict.fromkeys([*required, *properties])
        ]
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _default(schema: Any, root: Schema) -> Any:
    return resolve(schema, root).get("default", OPTIONAL)


def _annotation(schema: Any, root: Schema, depth: int = 0) -> Any:
    """The Python type for a schema; ``Any`` for whatever Python's types cannot say."""
    given = resolve(schema, root)
    if not given or depth > _DEPTH:
        return Any
    if given.get("nullable") is True:
        inner = {name: value for name, value in given.items() if name != "nullable"}
        return _union([_annotation(inner, root, depth), None])
    for word in ("enum", "const"):
        if word in given:
            return _literal(given[word] if word == "enum" else [given[word]])
    for word in ("anyOf", "oneOf"):
        if isinstance(given.get(word), list) and given[word]:
            return _union([_annotation(one, root, depth + 1) for one in given[word]])
    kind = given.get("type")
    if isinstance(kind, list):
        return _union([_annotation({**given, "type": one}, root, depth + 1) for one in kind])
    if kind == "array" and isinstance(given.get("items"), Mapping):
        return list[_annotation(given["items"], root, depth + 1)]
    if kind == "object" and isinstance(given.get("additionalProperties"), Mapping):
        inner = (
            Any if given.get("properties") else _annotation(given["additionalProperties"], root, depth + 1)
        )
        return dict[str, inner]
    return _TYPES.get(kind, Any) if isinstance(kind, str) else Any


def _literal(choices: Any) -> Any:
    if (
        choices
        and isinstance(choices, list)
        and all(isinstance(one, str | int | bool | None) for one in choices)
    ):
        return Literal[tuple(choices)]
    return Any


def _union(members: list[Any]) -> Any:
    return Any if not members or Any in members else Union[tuple(members)]  # noqa: UP007 - made at run time

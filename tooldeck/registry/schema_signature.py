"""A Python signature for a JSON Schema, so that a remote tool is called and completed like a function."""

from __future__ import annotations

import keyword
from inspect import Parameter, Signature
from typing import Any, Literal, Union, cast

__all__ = ["OPTIONAL", "signature_for"]


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


def signature_for(schema: dict[str, Any]) -> Signature:
    """Keyword-only parameters for the schema's properties, the required ones first.

    Annotations say what is simple to say and ``Any`` otherwise. Names that no Python call could spell are
    left out; such arguments are given in a mapping.
    """
    properties: dict[str, Any] = schema.get("properties") or {}
    required = [name for name in schema.get("required") or () if name in properties]
    ordered = dict.fromkeys([*required, *properties])
    return Signature(
        [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if name in required else _default(properties[name]),
                annotation=_annotation(properties[name]),
            )
            for name in ordered
            if name.isidentifier() and not keyword.iskeyword(name)
        ]
    )


def _default(schema: Any) -> Any:
    return cast("dict[str, Any]", schema).get("default", OPTIONAL) if isinstance(schema, dict) else OPTIONAL


def _annotation(schema: Any, depth: int = 0) -> Any:
    """The Python type for a schema; ``Any`` for whatever Python's types cannot say."""
    if not isinstance(schema, dict) or depth > 4:
        return Any
    given = cast("dict[str, Any]", schema)
    for word in ("enum", "const"):
        if word in given:
            return _literal(given[word] if word == "enum" else [given[word]])
    for word in ("anyOf", "oneOf"):
        if given.get(word):
            return _union([_annotation(one, depth + 1) for one in given[word]])
    kind = given.get("type")
    if isinstance(kind, list):
        return _union([_annotation({**given, "type": one}, depth + 1) for one in cast("list[Any]", kind)])
    if kind == "array" and isinstance(given.get("items"), dict):
        return list[_annotation(given["items"], depth + 1)]
    return _TYPES.get(kind, Any) if isinstance(kind, str) else Any


def _literal(choices: Any) -> Any:
    if choices and all(isinstance(one, str | int | bool | None) for one in choices):
        return Literal[tuple(choices)]
    return Any


def _union(members: list[Any]) -> Any:
    return Any if not members or Any in members else Union[tuple(members)]  # noqa: UP007 - made at run time

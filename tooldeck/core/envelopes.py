"""Arguments in a wrapping that models put around them: the whole call, one more object, a list.

What comes out is only a candidate: it is used where it fits the tool and the arguments as they came do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tooldeck.core.loose_json import NoJson, read_json
from tooldeck.core.references import Schema, resolve

__all__ = ["out_of_list", "resolved", "unwrapped"]

_INNER = ("arguments", "args", "input", "parameters", "params", "kwargs", "tool_input", "function")
_NAMING = ("name", "tool", "tool_name", "function_name")
_LABELS = ("type", "id", "call_id", "tool_call_id")
_MOST = 3
"""Wrappings around each other that are taken off."""


def unwrapped(given: Mapping[str, Any], tool: str, schema: Schema) -> Iterator[tuple[dict[str, Any], str]]:
    """What `given` may mean beside itself, most likely first, and the words that say so.

    An envelope that names another tool is none.
    """
    inner: Mapping[str, Any] = given
    for _ in range(_MOST):
        found = _opened(inner, tool, schema)
        if found is None:
            break
        key, inner = found
        yield dict(inner), f"took the arguments out of {key!r}"
    only = _only_property(schema)
    if only is not None and given and only[0] not in given:
        fields = resolved(only[1], schema).get("properties")
        if isinstance(fields, Mapping) and given.keys() <= fields.keys():
            yield {only[0]: dict(given)}, f"took the fields for the parameter {only[0]!r}"


def out_of_list(value: list[Any], schema: Schema) -> tuple[dict[str, Any], str] | None:
    """The arguments that a list stands for: the only parameter if that is a list, or one object in a list."""
    only = _only_property(schema)
    if only is not None and value and resolved(only[1], schema).get("type") == "array":
        return {only[0]: value}, f"took the list for the parameter {only[0]!r}"
    if len(value) == 1 and isinstance(value[0], dict) and value[0]:
        return value[0], "took the arguments out of a list"
    return None


def _opened(given: Mapping[str, Any], tool: str, schema: Schema) -> tuple[str, Mapping[str, Any]] | None:
    """The key of the envelope and what lies in it."""
    properties = schema.get("properties", {})
    inside = [key for key in _INNER if key in given and not isinstance(given[key], bool | int | float)]
    inside = [key for key in inside if not (key == "function" and given[key] == tool)]
    if len(inside) != 1 or inside[0] in properties:
        return None
    for key, value in given.items():
        if key != inside[0] and not (key not in properties and _labels(key, value, tool)):
            return None
    return (inside[0], value) if (value := _as_object(given[inside[0]])) is not None else None


def _labels(key: str, value: Any, tool: str) -> bool:
    """Whether a member of an envelope only says which call it is."""
    return (key in (*_NAMING, "function") and value == tool) or (key in _LABELS and isinstance(value, str))


def _as_object(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, str):
        try:
            value = read_json(value)[0]
        except NoJson:
            return None
    return value if isinstance(value, Mapping) else None


def _only_property(schema: Schema) -> tuple[str, Any] | None:
    properties = schema.get("properties", {})
    return (
        next(iter(properties.items())) if isinstance(properties, Mapping) and len(properties) == 1 else None
    )


def resolved(schema: Any, root: Schema) -> Schema:
    """The schema behind references; of alternatives the one beside null."""
    found = resolve(schema, root)
    branches = found.get("anyOf")
    if not isinstance(branches, list):
        return found
    real = [branch for branch in branches if branch != {"type": "null"}]
    return resolve(real[0], root) if len(real) == 1 else {}

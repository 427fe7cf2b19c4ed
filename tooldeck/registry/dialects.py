"""What each provider takes of JSON Schema, as pure functions of a schema that may be changed.

Sources, as read in 2026: OpenAI's guide to structured outputs (supported schemas), Anthropic's reference of
``input_schema``, Google's reference of ``FunctionDeclaration`` and of ``responseJsonSchema``. Whatever an
export leaves out is checked all the same when a call comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = ["for_gemini", "lettered", "strictly", "without_choices"]

_MANY = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_CHOICES = ("anyOf", "oneOf", "allOf", "not", "enum")
"""What providers refuse at the top of a tool's schema."""
_STRICT_WORDS = frozenset(
    [
        *("$defs", "$ref", "type", "properties", "required", "additionalProperties", "items", "anyOf"),
        *("enum", "const", "title", "description", "pattern", "format", "multipleOf", "minItems", "maxItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    ]
)
_STRICT_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_STRICT_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_STRICT_PROPERTIES, _STRICT_DEPTH, _STRICT_MEMBERS, _STRICT_CHARS = 5000, 10, 1000, 120_000


def lettered(name: str) -> str:
    """The name where it must begin with a letter or an underscore; such names stay as they are."""
    return name if name[0].isalpha() or name[0] == "_" else f"_{name}"[:64]


def without_choices(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without alternatives at its top, where no provider takes them."""
    return {key: value for key, value in schema.items() if key not in _CHOICES}


def strictly(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The schema to which OpenAI can hold a model; None where that would make an optional thing required.

    Objects whose parts are listed are closed: what else they would take is not asked for.
    """
    closed = _changed(schema, _closed)
    return closed if _is_strict(closed) else None


def _closed(node: dict[str, Any]) -> dict[str, Any]:
    open_by_silence = node.get("properties") and "additionalProperties" not in node
    return {**node, "additionalProperties": False} if open_by_silence else node


def _is_strict(schema: Mapping[str, Any]) -> bool:
    count = members = chars = 0
    if schema.get("type") != "object" or "$ref" in schema:
        return False
    for node, depth in _nodes(schema):
        if not _fits_strictly(node) or depth > _STRICT_DEPTH:
            return False
        properties, enum = node.get("properties", {}), node.get("enum", ())
        count += len(properties)
        members += len(enum)
        chars += sum(map(len, properties)) + sum(len(str(one)) for one in enum)
        chars += sum(map(len, node.get("$defs", ())))
    return count <= _STRICT_PROPERTIES and members <= _STRICT_MEMBERS and chars <= _STRICT_CHARS


def _fits_strictly(node: Any) -> bool:
    if not isinstance(node, Mapping) or not _STRICT_WORDS.issuperset(node):
        return False
    if "$ref" in node:
        return set(node) <= {"$ref", "$defs"} and str(node["$ref"]).startswith("#")
    kinds = node.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not _STRICT_TYPES.issuperset(kinds) or not (kinds or {"anyOf", "enum", "const"} & set(node)):
        return False
    if "object" in kinds:
        required, named = node.get("required", ()), node.get("properties", {})
        if node.get("additionalProperties") is not False or set(required) != set(named):
            return False
    if "array" in kinds and not isinstance(node.get("items"), Mapping):
        return False
    return "format" not in node or node["format"] in _STRICT_FORMATS


def for_gemini(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema in the words that Gemini knows, where others say the same; what it ignores may stay."""
    return _changed(schema, _gemini_node)


def _gemini_node(node: dict[str, Any]) -> dict[str, Any]:
    """A constant is an enumeration of one, and beside a reference nothing may stand but ``$`` words."""
    node.pop("$schema", None)
    if "const" in node:
        node["enum"] = [node.pop("const")]
    parts = node.get("allOf")
    if isinstance(parts, list) and len(parts) == 1 and not set(parts[0]) & (set(node) - {"allOf"}):
        node = {**{key: value for key, value in node.items() if key != "allOf"}, **parts[0]}
    beside = {key for key in node if not key.startswith("$")}
    if "$ref" in node and beside:
        reference = {"$ref": node.pop("$ref")}
        node["allOf" if "anyOf" in node else "anyOf"] = [reference]
    return node


def _changed(node: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A schema with `change` made in every schema of it, the innermost first."""
    if not isinstance(node, dict):
        return node
    made: dict[str, Any] = {}
    for key, value in node.items():
        if key in _MANY and isinstance(value, list):
            made[key] = [_changed(one, change) for one in value]
        elif key in _ONE:
            made[key] = _changed(value, change)
        elif key in _NAMED and isinstance(value, dict):
            made[key] = {name: _changed(one, change) for name, one in value.items()}
        else:
            made[key] = value
    return change(made)


def _nodes(node: Any, depth: int = 0) -> Iterator[tuple[Any, int]]:
    """Every schema of a schema, with how many objects and lists lie around it."""
    yield node, depth
    if not isinstance(node, Mapping):
        return
    for key, value in node.items():
        if key in _MANY and isinstance(value, list):
            inner: list[Any] = value
        elif key in _ONE and not isinstance(value, bool):
            inner = [value]
        elif key in _NAMED and isinstance(value, Mapping):
            inner = list(value.values())
        else:
            continue
        for one in inner:
            yield from _nodes(one, depth + (key in {"properties", "items"}))

"""Templates of addresses (RFC 6570): their variables as a schema, and an address out of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.registry.json_schema import JsonSchemaParameters

__all__ = ["expand", "schema_of"]

_OPTIONAL = "?&"
# Operators whose variables may be left out: an address is whole without its query.


def schema_of(template: str, variables: Iterable[str]) -> dict[str, Any]:
    """The JSON Schema of a template's variables."""
    from mcp import UriTemplate

    parts = UriTemplate.parse(template).variables
    several = {one.name for one in parts if one.explode}
    optional = {one.name for one in parts if one.operator and one.operator in _OPTIONAL}
    lists = {"type": "array", "items": {"type": "string"}}
    return {
        "type": "object",
        "properties": {name: lists if name in several else {"type": "string"} for name in variables},
        "required": [name for name in variables if name not in optional],
        "additionalProperties": False,
    }


def expand(template: str, schema: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
    """The address with these variables. Raises `DefinitionError` for what is missing, unknown or no text."""
    from mcp import UriTemplate

    checked = JsonSchemaParameters(schema).check(variables)
    if checked.problems:
        raise DefinitionError(f"The template {template!r}: {'; '.join(map(str, checked.problems))}")
    return UriTemplate.parse(template).expand(checked.values)

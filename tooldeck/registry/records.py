"""Tools given as records: a mapping with a name, a JSON Schema and a function, in any provider's form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tooldeck.core.define import Options, check_name, define
from tooldeck.core.errors import DefinitionError
from tooldeck.core.tool import Origin, Tool

__all__ = ["from_record"]

_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")


def from_record(record: Mapping[str, Any], options: Options, origin: Origin | None = None) -> Tool:
    """Make a tool of a record such as ``{"name": …, "description": …, "parameters": {…}, "function":
    callable}``.

    The schema is used as it is; the function is called with the arguments as keywords.
    """
    from tooldeck.registry.json_schema import JsonSchemaParameters

    outer: Mapping[str, Any] = (
        record.get("function", {}) if isinstance(record.get("function"), Mapping) else record
    )
    function = next(
        (record[key] for key in ("function", "callable", "handler") if callable(record.get(key))), None
    )
    name = outer.get("name")
    if not isinstance(name, str):
        raise DefinitionError(f"A tool record needs a name; this one has {sorted(record)}.")
    if function is None:
        raise DefinitionError(f'The tool record {name!r} has no function; put the callable under "function".')
    schema = next((outer[key] for key in _SCHEMA_KEYS if key in outer), None)
    if schema is None:
        raise DefinitionError(f'The tool record {name!r} has no schema; put it under "parameters".')
    check_name(options.name or name)
    base = define(function, replace(options, name=options.name or name), origin=origin)
    return replace(
        base,
        params=JsonSchemaParameters(schema),
        description=options.description or str(outer.get("description") or base.description),
    )

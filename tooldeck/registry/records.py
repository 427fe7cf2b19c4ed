"""Tools given as records: a mapping with a name, a JSON Schema and a function, in any provider's form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tooldeck.core.define import define
from tooldeck.core.errors import DefinitionError
from tooldeck.core.options import OPTION_NAMES, Options, check_options
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import nearest

__all__ = ["from_record"]

_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")
_FUNCTION_KEYS = ("function", "callable", "handler")
_PASSED_OVER = (
    "_meta", "annotations", "cache_control", "icons", "outputSchema", "output_schema", "strict", "title",
    "type",
)  # fmt: skip
"""What providers write beside it; it says nothing about how the tool may be run here."""


def from_record(record: Mapping[str, Any], options: Options, origin: Origin | None = None) -> Tool:
    """Make a tool of a record such as ``{"name": …, "description": …, "parameters": {…}, "function": …}``.

    The schema is used as it is; the function is called with the arguments as keywords. The record may have
    `Options` as well; those given beside it win. Raises `DefinitionError` naming what is missing or unknown.
    """
    function = next((record[key] for key in _FUNCTION_KEYS if callable(record.get(key))), None)
    inner = record.get("function")  # OpenAI writes name and schema in here
    described: Mapping[str, Any] = {**record, **inner} if isinstance(inner, Mapping) else record
    name = options.name or described.get("name")
    if not isinstance(name, str):
        raise DefinitionError(f"A tool record needs a name; this one has {sorted(map(str, record))}.")
    if function is None:
        raise DefinitionError(f'The tool record {name!r} has no function; put the callable under "function".')
    schema = next((described[key] for key in _SCHEMA_KEYS if key in described), None)
    if schema is None:
        raise DefinitionError(f'The tool record {name!r} has no schema; put it under "parameters".')
    return _made(name, function, schema, _options(name, described, options), origin)


def _made(
    name: str, function: Callable[..., Any], schema: Any, options: Options, origin: Origin | None
) -> Tool:
    from tooldeck.registry.json_schema import JsonSchemaParameters

    try:
        params = JsonSchemaParameters(schema)
    except DefinitionError as error:
        raise DefinitionError(f"The tool record {name!r}: {error}") from None
    return define(function, options, origin=origin, params=params)


def _options(name: str, described: Mapping[str, Any], given: Options) -> Options:
    """What the record declares, with the options given beside it on top."""
    for key in described:
        if key not in (*OPTION_NAMES, *_SCHEMA_KEYS, *_FUNCTION_KEYS, *_PASSED_OVER):
            close = nearest(key, OPTION_NAMES, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it may have {', '.join(OPTION_NAMES)}."
            raise DefinitionError(f"The tool record {name!r} has an unknown key {key!r}; {hint}")
    declared = check_options({key: described[key] for key in OPTION_NAMES if key in described})
    return replace(declared, **{"name": name, **given.changes()})

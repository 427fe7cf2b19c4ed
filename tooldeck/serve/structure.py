"""Structured content: the value of a call as JSON, where the return type of the tool says what it is."""

from __future__ import annotations

import copy
import json
from typing import Any
from weakref import WeakKeyDictionary

from pydantic_core import to_jsonable_python

from tooldeck.core.errors import DefinitionError
from tooldeck.core.parameters import problems_text
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.mcp.results import McpValue
from tooldeck.registry.json_schema import JsonSchemaParameters

__all__ = ["Misfit", "output_schema", "sound", "structured"]

_RESULT = "result"
"""The name under which a value stands that is no object, since the protocol wants an object."""
MOST_CHARS = 1_000_000
"""Characters of JSON that structured content may have; the official Python client gives up at 1 MiB."""


class Misfit(Exception):
    """The value cannot be given as structured content; the message says why and what to do."""


def output_schema(tool: Tool) -> dict[str, Any] | None:
    """What a tool's structured content looks like, or None where it has none.

    A value that is no object stands in one, under ``result``. Plain text has no structure, and the actions of
    one tool have no schema in common.
    """
    schema = tool.output_schema
    if schema is None or tool.action or schema.get("type") == "string":
        return None
    schema = copy.deepcopy(schema)
    if schema.get("type") == "object":
        return schema
    outer = {key: schema.pop(key) for key in ("$defs", "$schema") if key in schema}
    return {**outer, "type": "object", "properties": {_RESULT: schema}, "required": [_RESULT]}


def structured(tool: Tool, result: ToolResult) -> dict[str, Any] | None:
    """The structured content of an ``ok`` call; raises `Misfit` where it is not what the tool declares."""
    schema = output_schema(tool)
    if schema is None:
        return None
    value = _plain(tool, result.value)
    content = sound(value if _is_object(tool) else {_RESULT: value})
    _check_fits(tool, schema, content)
    return content


def sound(value: Any) -> Any:
    """JSON whose texts can all be sent: halves of characters, which no UTF-8 has, are spelled out."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {sound(key): sound(inner) for key, inner in value.items()}
    return [sound(inner) for inner in value] if isinstance(value, list) else value


def _is_object(tool: Tool) -> bool:
    return (tool.output_schema or {}).get("type") == "object"


def _plain(tool: Tool, value: Any) -> Any:
    if isinstance(value, McpValue):  # of a server that this deck uses; its schema is about this part
        return value.structured
    try:
        return to_jsonable_python(sound(value), bytes_mode="base64")
    except Exception as error:  # noqa: BLE001 - objects of strangers may raise anything
        raise Misfit(f"{tool.name} gave a value that is no JSON: {error}.") from None


def _check_fits(tool: Tool, schema: dict[str, Any], content: Any) -> None:
    size = len(json.dumps(content, ensure_ascii=False))
    if size > MOST_CHARS:
        raise Misfit(
            f"{tool.name} gave {size} characters, and {MOST_CHARS} can be passed on; ask for less of it."
        )
    if not isinstance(content, dict):
        raise Misfit(f"{tool.name} gave no object, though its return type says so.")
    if tool not in _checks:
        _checks[tool] = _check_for(schema)
    check = _checks[tool]
    problems = check.check(content).problems if check is not None else ()
    if problems:
        what = problems_text(f"the value of {tool.name}", problems)
        raise Misfit(f"{what}; that is not what its return type says.")


_checks: WeakKeyDictionary[Tool, JsonSchemaParameters | None] = WeakKeyDictionary()


def _check_for(schema: dict[str, Any]) -> JsonSchemaParameters | None:
    """The check of structured content; None where the schema is none that Python could check."""
    try:
        return JsonSchemaParameters(schema)
    except DefinitionError:
        return None

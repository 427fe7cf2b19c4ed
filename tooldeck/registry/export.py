"""A deck's tools in the words of each provider, made from the one schema that every tool has."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import nearest

__all__ = ["DIALECTS", "export"]


def _schema(tool: Tool) -> dict[str, Any]:
    """A copy, so that what a caller does to an export never reaches the tool."""
    return copy.deepcopy(tool.parameters)


def _openai(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": _schema(tool)}
    return {"type": "function", "function": function}


def _anthropic(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": _schema(tool)}


def _gemini(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": _schema(tool)}


def _mcp(tool: Tool) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": _schema(tool),
    }
    if tool.title:
        described["title"] = tool.title
    if tool.output_schema is not None and tool.output_schema.get("type") == "object":
        described["outputSchema"] = copy.deepcopy(tool.output_schema)
    if tool.effects is not None:
        described["annotations"] = {"readOnlyHint": tool.read_only, "idempotentHint": tool.repeatable}
    return described


DIALECTS: Mapping[str, Callable[[Tool], dict[str, Any]]] = MappingProxyType(
    {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini, "mcp": _mcp}
)
"""One tool in each provider's form."""


def export(tools: Iterable[Tool], dialect: str) -> list[dict[str, Any]]:
    """The tools as `dialect` wants them; raises `DefinitionError` for an unknown dialect."""
    form = DIALECTS.get(dialect) if isinstance(dialect, str) else None
    if form is None:
        close = nearest(dialect, DIALECTS, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(DIALECTS)}."
        raise DefinitionError(f"Unknown dialect {dialect!r}; {hint}")
    return [form(tool) for tool in tools]

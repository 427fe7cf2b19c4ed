"""A deck's tools in the words of each provider, made from the one schema that every tool has."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.strangers import error_words, to_repr
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Effect, nearest
from tooldeck.registry.dialects import for_gemini, lettered, strictly, without_choices

__all__ = ["DIALECTS", "export"]

_log = logging.getLogger("tooldeck")


def _schema(tool: Tool) -> dict[str, Any]:
    """A copy, so that what a caller does to an export never reaches the tool.

    What a ``schema_override`` makes of it, unless that fails.
    """
    own = copy.deepcopy(tool.parameters)
    if tool.schema_override is None:
        return own
    try:
        return _overridden(tool.schema_override(copy.deepcopy(own)))
    except Exception as error:  # noqa: BLE001 - functions of the author may raise anything
        _log.warning(
            "The schema_override of %s failed, so its own schema is shown: %s", tool.name, error_words(error)
        )
        return own


def _overridden(schema: Any) -> dict[str, Any]:
    """A schema as a function of the author made it; raises ValueError or TypeError for what is none."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        raise ValueError(f"it gave {to_repr(schema)[:100]}, which is no schema of an object")
    return json.loads(json.dumps(dict(schema), allow_nan=False))


def _openai(tool: Tool) -> dict[str, Any]:
    schema = without_choices(_schema(tool))
    strict = strictly(schema)
    function = {"name": tool.name, "description": tool.description, "parameters": strict or schema}
    return {"type": "function", "function": {**function, "strict": strict is not None}}


def _anthropic(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": without_choices(_schema(tool)),
    }


def _gemini(tool: Tool) -> dict[str, Any]:
    schema = for_gemini(without_choices(_schema(tool)))
    described = {"name": lettered(tool.name), "description": tool.description, "parametersJsonSchema": schema}
    if tool.output_schema is not None:
        described["responseJsonSchema"] = for_gemini(copy.deepcopy(tool.output_schema))
    return described


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
        described["annotations"] = {
            "readOnlyHint": tool.read_only,
            "destructiveHint": bool(tool.effects & _DESTROYS),
            "idempotentHint": tool.repeatable,
            "openWorldHint": bool(tool.effects & _REACHES_OUT),
        }
    return described


_DESTROYS = frozenset({Effect.WRITE, Effect.EXECUTE, Effect.REPOSITORY})
"""Effects that may undo what others have made."""
_REACHES_OUT = frozenset({Effect.NETWORK, Effect.EXECUTE, Effect.MODEL, Effect.HUMAN})
"""Effects that may involve more than this machine."""


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

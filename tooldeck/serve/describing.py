"""How a tool is listed to the clients of a served deck."""

from __future__ import annotations

from mcp_types import Tool as ListedTool

from tooldeck.core.tool import Tool
from tooldeck.registry.export import export
from tooldeck.serve.structure import output_schema, sound

__all__ = ["listed"]


def listed(tool: Tool) -> ListedTool:
    """A tool in the words of the protocol: schemas, and hints made of what is declared."""
    described = export([tool], "mcp")[0]
    described["outputSchema"] = output_schema(tool)
    return ListedTool.model_validate(sound(described), by_name=False)

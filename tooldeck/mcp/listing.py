"""A server's list of tools, all pages of it, good ones and bad ones apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tooldeck.mcp.apps import ui_of
from tooldeck.mcp.tap import MOST_TOOLS, Malformed, Tap

__all__ = ["Listing", "RemoteTool", "read_tools"]

_MOST_PAGES = 1000
_METHOD_UNKNOWN = -32601


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool as its server describes it. All of it is the server's claim."""

    name: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    title: str = ""
    annotations: dict[str, Any] | None = None
    """Hints such as ``readOnlyHint``: shown, believed only where the user trusts the server."""
    definition: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """All that the server says of it, unknown members included."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server offers."""

    tools: tuple[RemoteTool, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    has_pages: bool = False
    """Whether a tool has a page that shows its results (MCP Apps)."""

    def find(self, name: str) -> RemoteTool | None:
        """The tool of a name."""
        return next((tool for tool in self.tools if tool.name == name), None)


async def read_tools(client: Any, tap: Tap) -> Listing:
    """Read every page. A server that has no such list has no tools."""
    from mcp import MCPError

    tap.fresh_list()
    found: list[RemoteTool] = []
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        try:
            page = await client.list_tools(cursor=cursor)
        except MCPError as error:
            if error.code == _METHOD_UNKNOWN and cursor is None:
                break
            raise
        found += [_remote(tool, tap) for tool in page.tools]
        cursor = page.next_cursor
        if not cursor:
            break
        if cursor in seen:
            tap.malformed.append(Malformed("the list", "begins again, and is cut there"))
            break
        if len(found) >= MOST_TOOLS:
            tap.malformed.append(Malformed("the list", f"goes on beyond {MOST_TOOLS} tools and is cut there"))
            break
        seen.add(cursor)
    return _without_doubles(found, tuple(tap.malformed))


def _without_doubles(found: list[RemoteTool], malformed: tuple[Malformed, ...]) -> Listing:
    first: dict[str, RemoteTool] = {}
    doubles: list[Malformed] = []
    for tool in found:
        if tool.name in first:
            doubles.append(Malformed(tool.name, "the list has another tool of this name before it"))
        else:
            first[tool.name] = tool
    pages = any(ui_of(tool.definition).uri for tool in first.values())
    return Listing(tuple(first.values()), (*malformed, *doubles), pages)


def _remote(tool: Any, tap: Tap) -> RemoteTool:
    hints = tool.annotations
    definition = tap.definitions.get(tool.name)  # of a server in this process the library keeps the only one
    return RemoteTool(
        name=tool.name,
        description=tool.description or "",
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        title=tool.title or (hints.title if hints is not None else None) or "",
        annotations=hints.model_dump(by_alias=True, exclude_none=True) if hints is not None else None,
        definition=definition or tool.model_dump(by_alias=True, exclude_none=True, mode="json"),
    )

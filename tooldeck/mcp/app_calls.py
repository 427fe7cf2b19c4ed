"""What the pages of MCP Apps ask for: tools of their own server, by the deck's rules, and its resources."""

from __future__ import annotations

import json
from collections.abc import Coroutine, Mapping
from typing import Any, Protocol

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.caller import calling
from tooldeck.core.host import Host
from tooldeck.core.lines import Door
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Source, Status
from tooldeck.mcp.app_pages import Page, read_page
from tooldeck.mcp.apps import App, ui_of
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.errors import McpError
from tooldeck.mcp.results import McpValue

__all__ = ["AppCalls"]


class _Deck(Protocol):
    def servers(self) -> list[Connection]: ...

    def acall_through(
        self, door: Door, name: str, arguments: Mapping[str, Any] | str | None = None
    ) -> Coroutine[Any, Any, ToolResult]: ...


class AppCalls:
    """What apps may ask of a deck; `host` is where the bodies of their calls run, and who is asked."""

    def __init__(self, deck: _Deck, host: Host) -> None:
        self._deck = deck
        self._host = host
        self._doors: dict[str, Door] = {}

    def connection(self, app: App) -> Connection:
        """The server of an app, as it is connected now. Raises `McpError` where it is not."""
        for made in self._deck.servers():
            if made.label == app.server and str(made.session.target) == app.target:
                return made
        raise McpError(f"The MCP server {app.server!r} is not connected.", app.server)

    async def page(self, app: App) -> Page:
        """The page of an app. On the loop of the server's session. Raises `McpError`."""
        return await read_page(self.connection(app).session, app.uri)

    async def call(self, app: App, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool of the app's server by the server's own name of it; gives a ``CallToolResult`` as JSON.

        Raises `McpError` for a tool that it may not call; whatever else goes wrong is in the result.
        """
        made = self.connection(app)
        tool = made.tools.get(name)
        if tool is None or not _callable(made, tool):
            raise McpError(f"The MCP server {app.server!r} has no tool {name!r} for its apps.", app.server)
        with calling(Source.APP, label=f"a page of server {app.server}"):
            result = await self._deck.acall_through(self._door(app.server), tool.name, arguments)
        return _answer(result)

    async def read(self, app: App, uri: str) -> dict[str, Any]:
        """Read a resource of the app's server; gives a ``ReadResourceResult`` as JSON.

        On the loop of the server's session. Raises `McpError`.
        """

        async def get(client: Any, _running: Any) -> Any:
            return await client.read_resource(uri)

        found = await self.connection(app).session.perform(f"the resource {uri!r}", get)
        return found.model_dump(by_alias=True, exclude_none=True, mode="json")

    def _door(self, label: str) -> Door:
        """The way in for the apps of one server; one for all of them, since pipelines are composed for it."""
        door = self._doors.get(label)
        if door is None:

            def admit(call: ToolCall, found: Tool | Outcome) -> Tool | Outcome:
                own = isinstance(found, Tool) and any(
                    _callable(made, found) for made in self._deck.servers() if made.label == label
                )
                why = f"{call.name!r} is no tool for apps of {label!r}."
                return found if own else Outcome(Status.UNKNOWN, error=why)

            door = self._doors[label] = Door(self._host, admit)
        return door


def _callable(made: Connection, tool: Tool) -> bool:
    """Whether it is a tool of this very server that apps may call."""
    raw = next((raw for raw, name in list(made.names.items()) if name == tool.name), None)
    remote = None if raw is None else made.session.listing.find(raw)
    mine = raw is not None and made.tools.get(raw) is tool
    return mine and remote is not None and ui_of(remote.definition).for_apps


def _answer(result: ToolResult) -> dict[str, Any]:
    """The end of a call for an app: just what its server gave, where it gave something."""
    value = result.value
    if result.ok and isinstance(value, McpValue) and value.answer is not None:
        return dict(value.answer)
    told = (str(value) if result.ok else result.error) or str(result.status)
    made: dict[str, Any] = {"content": [{"type": "text", "text": told}], "isError": not result.ok}
    if result.ok and isinstance(value, Mapping):
        made["structuredContent"] = json.loads(json.dumps(value, default=str))
    return made

"""The protocol: lists the tools that are shown, runs their calls through the deck, tells what changes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, ListToolsResult, NotificationParams
from mcp_types import Tool as ListedTool

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.caller import calling
from tooldeck.core.events import Event, Progressed, ToolAdded, ToolRemoved
from tooldeck.core.lines import Door
from tooldeck.core.strangers import error_words
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Source, Status, nearest
from tooldeck.guards.text import one_line
from tooldeck.serve.answering import answered
from tooldeck.serve.describing import listed
from tooldeck.serve.progress import Reports

if TYPE_CHECKING:
    from tooldeck.core.host import Host
    from tooldeck.deck import Deck
    from tooldeck.serve.exposure import Exposure

__all__ = ["DeckServer"]

T = TypeVar("T")

_log = logging.getLogger("tooldeck")
_SETTLE = 3.0
"""Seconds that a cancelled call is given to end."""
_SOON = 0.05
"""Seconds in which changes of the list are gathered into one notice."""
_REPORTS: ContextVar[Reports | None] = ContextVar("tooldeck_reports", default=None)


class DeckServer:
    """Serves the tools of a deck that `exposure` shows; `host` is where their bodies run.

    `protocol` is the server to be carried by a transport. `start` and `stop` are called on the loop that
    carries it, once each.
    """

    def __init__(self, deck: Deck, exposure: Exposure, host: Host, *, name: str, version: str) -> None:
        self.deck = deck
        self.exposure = exposure
        self.clients: dict[str, int] = {}
        """How many calls came from whom."""
        self._door = Door(host, self._admitted)
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._sessions: dict[Any, Any] = {}
        self._calls: set[asyncio.Task[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._shown = ""
        self._due: asyncio.TimerHandle | None = None
        self._undo: list[Any] = []
        self._notices: set[asyncio.Task[None]] = set()
        self.protocol = _Protocol(
            name,
            version=version,
            get_tool_input_schema=self._schema_of,
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=self._listen,
        )
        self.protocol.add_notification_handler(
            "notifications/initialized", NotificationParams, self._initialized
        )

    # -- life

    def start(self) -> None:
        """Begin to watch the deck."""
        self._loop = asyncio.get_running_loop()
        self._shown = self._fingerprint()
        self._undo = [self.deck.subscribe(self._observe), self.deck.watch_rules(self.renew)]

    async def stop(self) -> None:
        """End the calls under way and the streams of those who listen."""
        for undo in self._undo:
            undo()
        self._listen.close()
        for task in self._calls:
            task.cancel()
        if self._calls:
            await asyncio.wait(self._calls, timeout=_SETTLE)

    # -- what is shown

    def tools(self) -> list[Tool]:
        """The tools that clients see now, as they see them."""
        shown = (self.exposure.of(tool) for tool in self.deck.usable())
        return [tool for tool in shown if tool is not None]

    def _admitted(self, call: ToolCall, found: Tool | Outcome) -> Tool | Outcome:
        """What a call of a client finds. Names that it cannot see are not told."""
        view = self.exposure.of(found) if isinstance(found, Tool) else None
        if view is not None:
            return view
        close = nearest(call.name, [tool.name for tool in self.tools()])
        hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else "."
        return Outcome(Status.UNKNOWN, error=f"There is no tool {call.name!r}{hint}")

    async def _list(self, _context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=self._listed())

    def _listed(self) -> list[ListedTool]:
        """The list, without what cannot be described: one bad tool hides no other."""
        found: list[ListedTool] = []
        for tool in self.tools():
            try:
                found.append(listed(tool))
            except Exception as error:  # noqa: BLE001 - schemas of strangers may hold anything
                _log.warning("%s cannot be listed for MCP clients: %s", tool.name, error_words(error))
        return found

    def _schema_of(self, name: str) -> dict[str, Any] | None:
        """The schema of one tool, which the SDK would look for in the whole list before each call."""
        tool = self.deck.tools.get(name)
        view = None if tool is None else self.exposure.of(tool)
        return None if view is None else listed(view).input_schema

    # -- calls

    async def _call(self, context: Any, params: Any) -> CallToolResult:
        who = _client(context)
        self.clients[who] = self.clients.get(who, 0) + 1
        async with Reports(context) as reports:
            token = _REPORTS.set(reports)
            try:
                with calling(Source.MCP, label=who):
                    run = self.deck.acall_through(self._door, params.name, params.arguments or {})
                    result = await self._apart(run)
            finally:
                _REPORTS.reset(token)
        if result.status is Status.UNKNOWN and result.call.tool is None:
            raise MCPError(INVALID_PARAMS, result.error or "There is no such tool.")
        return answered(result)

    async def _apart(self, run: Coroutine[Any, Any, T]) -> T:
        """Run a call in a task of its own: a cancelled one may still wait for its body to clean up."""
        task = asyncio.ensure_future(run)
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait({task}, timeout=_SETTLE)
            raise
        return task.result()

    # -- news

    def _observe(self, event: Event) -> None:
        """Told on whichever thread, in the context of the call."""
        if isinstance(event, Progressed):
            reports = _REPORTS.get()
            if reports is not None and event.call.parent is None:
                reports.tell(event)
        elif isinstance(event, ToolAdded | ToolRemoved):
            self.renew()

    def renew(self) -> None:
        """See whether the list has changed, soon; from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._look_soon)

    def _look_soon(self) -> None:
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(_SOON, self._look)

    def _look(self) -> None:
        self._due = None
        shown = self._fingerprint()
        if shown != self._shown:
            self._shown = shown
            task = asyncio.ensure_future(self._tell_changed())
            self._notices.add(task)
            task.add_done_callback(self._notices.discard)

    def _fingerprint(self) -> str:
        described = [tool.model_dump(mode="json", by_alias=True) for tool in self._listed()]
        return json.dumps(described, sort_keys=True)

    async def _tell_changed(self) -> None:
        await self._bus.publish(ToolsListChanged())
        for connection, session in list(self._sessions.items()):
            try:
                await session.send_tool_list_changed()
            except Exception:  # noqa: BLE001 - one client that is gone must not keep the news from others
                self._sessions.pop(connection, None)

    async def _initialized(self, context: Any, _params: Any) -> None:
        """A client of the older protocol is there; it is told of changes as long as it stays."""
        # The session object is made per request; only its connection, which is not public, lives on.
        connection = getattr(context.session, "_connection", None)
        if connection is None:
            return
        self._sessions[connection] = context.session
        connection.exit_stack.callback(self._sessions.pop, connection, None)


class _Protocol(Server[Any]):
    """The SDK's server, but it says that its list of tools may change, in both eras of the protocol."""

    def get_capabilities(self, notification_options: Any = None, *args: Any, **kwargs: Any) -> Any:
        changes = NotificationOptions(tools_changed=True)
        return super().get_capabilities(changes, *args, **kwargs)


def _client(context: Any) -> str:
    """Who asks, by the name that the client gives itself, made harmless for a card."""
    params = context.session.client_params
    if params is None:
        return "MCP client"
    name = f"{params.client_info.name} {params.client_info.version}".strip()[:80]
    return f"MCP client “{one_line(name)}”"

"""All MCP servers of a deck: ``deck.mcp``. Connects them, closes them, finds them by their labels."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any

from tooldeck.core.errors import TooldeckError
from tooldeck.core.model import Model
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Executor, Tool
from tooldeck.mcp import sdk
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.pins import Pins
from tooldeck.mcp.reviving import Reviving
from tooldeck.mcp.sampling import Complete, sampler
from tooldeck.mcp.shelving import Shelf, Shelving
from tooldeck.mcp.trust import Trust
from tooldeck.mcp.waiting import refuse_to_block, wait_for
from tooldeck.mcp.watching import Watching
from tooldeck.mcp.ways import awaited_way, blocking_way
from tooldeck.store.tables import PinTable

__all__ = ["Connection", "Connections"]


class Connections(Watching):
    """The MCP servers of a deck: a mapping from label to `Connection`.

    `wait` waits for a future on the calling thread, `wait_async` in the running loop; in a notebook both keep
    widgets alive. `call` and `acall` are the deck's own, for questions to the person; without them nobody can
    be asked. `complete` has the deck's `model` answer. `pins` keeps what was accepted.
    `handlers` are those of every connection that is given none of its own. Raises `SetupError` where the mcp
    package is missing or too old.
    """

    def __init__(
        self,
        shelf: Shelf,
        *,
        wait: Callable[[Future[Any]], Any] = Future.result,
        wait_async: Callable[[Future[Any]], Awaitable[Any]] = asyncio.wrap_future,
        call: Callable[[Tool, Mapping[str, Any]], ToolResult] | None = None,
        acall: Callable[[Tool, Mapping[str, Any]], Awaitable[ToolResult]] | None = None,
        complete: Complete | None = None,
        model: Callable[[], Model | None] = lambda: None,
        pins: PinTable | None = None,
    ) -> None:
        sdk.require()
        super().__init__()
        self.wait = wait
        self.handlers = Handlers()
        if call is not None and complete is not None:
            self.handlers.on_sample = sampler(call, complete, model)
        self.in_process: Executor | None = None
        """Where the sessions of server objects run unless told otherwise; None is the session thread."""
        self.on_end: Callable[[Connection], None] | None = None
        """Told on the session's thread when a connection is over, also while nobody uses it."""
        self.on_revived: Callable[[Connection], None] | None = None
        """Told when a server was connected again, by itself or by somebody; on any thread."""
        self.on_notice: Callable[[str], object] | None = None
        """Told on the session's thread what a person should hear of a server that started again or not."""
        self._watches: dict[str, Future[Any]] = {}
        self.trust = Trust(Pins(pins))
        self._blocking = blocking_way(wait, call)
        self._awaited = awaited_way(wait_async, acall)
        self._shelving = Shelving(shelf, self.trust, self.others_tools)
        self._reviving = Reviving(self._all.get, self._renewed_here, self._notice)
        self._lock = threading.RLock()

    def close(self, label: str) -> None:
        """Take the server's tools out of the deck and end the session, within about 5 seconds."""
        connection = self[label]
        refuse_to_block(connection)
        leaving = self._leave(connection)
        self.unwatch(label)  # afterwards, so that a restart that this ends finds the server closed
        wait_for(leaving, self.wait)

    async def aclose(self, label: str) -> None:
        """The same as `close`, to be awaited."""
        connection = self[label]
        leaving = self._leave(connection)
        self.unwatch(label)
        await self._awaited.wait(leaving)

    def close_all(self) -> None:
        """Close every connection, all at the same time; those that cannot be waited for here end later."""
        leaving = [(connection, self._leave(connection)) for connection in list(self._all.values())]
        for label in list(self._watches):
            self.unwatch(label)
        for connection, future in leaving:
            try:
                refuse_to_block(connection)
            except TooldeckError:
                continue
            wait_for(future, self.wait)

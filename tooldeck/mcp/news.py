"""What a server says on its own: lines for the log, and that its list of tools has changed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from tooldeck.mcp.handlers import LogLine

if TYPE_CHECKING:
    from tooldeck.mcp.calls import CallsInFlight
    from tooldeck.mcp.session import Session

__all__ = ["News"]


_MOST_LINES = 100
# Lines of the log that are being told at the same time; what comes beyond is counted only.


class News:
    """Listens on one session; `hear` and `log` are what the client library calls."""

    def __init__(self, session: Session, calls: CallsInFlight) -> None:
        self._session = session
        self._calls = calls
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading = False
        self._stale = False
        self._told = 0
        self._left_out = 0

    async def log(self, params: Any) -> None:
        """A line for the log."""
        if self._told >= _MOST_LINES:
            self._left_out += 1
            return
        self._told += 1
        try:
            line = LogLine(self._session.label, str(params.level), params.data, params.logger or "")
            await self._calls.tell(self._session.handlers.on_log, line)
            if self._left_out:
                many, self._left_out = self._left_out, 0
                said = f"{many} more lines came faster than they could be told and were left out"
                await self._calls.tell(
                    self._session.handlers.on_log, LogLine(self._session.label, "warning", said)
                )
        finally:
            self._told -= 1

    async def hear(self, message: Any) -> None:
        """Any other notification."""
        from mcp import types

        if isinstance(message, types.ToolListChangedNotification):
            self._list_changed()

    def _list_changed(self) -> None:
        """Read the list again: however often a server says so, once at a time, and once more after that."""
        self._stale = True
        if not self._reading:
            self._reading = True
            self._start(self._read_while_stale)

    async def _read_while_stale(self) -> None:
        try:
            while self._stale:
                self._stale = False
                await self._session.read_list_again()
        finally:
            self._reading = False

    def listen(self, client: Any) -> None:
        """Ask a server of the newer protocol to tell about changes of its tools; older ones do it unasked."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        tools = client.server_capabilities.tools
        if client.protocol_version in MODERN_PROTOCOL_VERSIONS and tools is not None and tools.list_changed:
            self._start(partial(self._listening, client))

    def stop(self) -> None:
        """Listen no longer."""
        for task in self._tasks:
            task.cancel()

    async def _listening(self, client: Any) -> None:
        async with client.listen(tools_list_changed=True) as changes:
            async for _ in changes:
                self._list_changed()

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.create_task(_contained(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _contained(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """A server that stops telling, or gives no new list, is no reason to end anything."""
    with contextlib.suppress(Exception):
        await work()

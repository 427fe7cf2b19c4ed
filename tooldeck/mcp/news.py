"""What a server says on its own: lines for the log, and that its list of tools has changed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from tooldeck.mcp.handlers import LogLine

if TYPE_CHECKING:
    from tooldeck.mcp.calls import CallsInFlight
    from tooldeck.mcp.session import Session

__all__ = ["News"]


class News:
    """Listens on one session; `hear` and `log` are what the client library calls."""

    def __init__(self, session: Session, calls: CallsInFlight) -> None:
        self._session = session
        self._calls = calls
        self._tasks: set[asyncio.Task[None]] = set()

    async def log(self, params: Any) -> None:
        """A line for the log."""
        line = LogLine(self._session.label, str(params.level), params.data, params.logger or "")
        await self._calls.tell(self._session.handlers.on_log, line)

    async def hear(self, message: Any) -> None:
        """Any other notification."""
        from mcp import types

        if isinstance(message, types.ToolListChangedNotification):
            self._start(self._session.read_list_again())

    def listen(self, client: Any) -> None:
        """Ask a server of the newer protocol to tell about changes of its tools; older ones do it unasked."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        tools = client.server_capabilities.tools
        if client.protocol_version in MODERN_PROTOCOL_VERSIONS and tools is not None and tools.list_changed:
            self._start(self._listening(client))

    def stop(self) -> None:
        """Listen no longer."""
        for task in self._tasks:
            task.cancel()

    async def _listening(self, client: Any) -> None:
        async with client.listen(tools_list_changed=True) as changes:
            async for _ in changes:
                await self._session.read_list_again()

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_contained(coroutine))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _contained(coroutine: Coroutine[Any, Any, None]) -> None:
    """A server that stops telling, or gives no new list, is no reason to end anything."""
    with contextlib.suppress(Exception):
        await coroutine

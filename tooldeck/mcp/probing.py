"""Asking a server things that no tool is for: any request of the protocol, and whether it is there."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.hosts.blocking import step
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.mapping import ConnectionMap
from tooldeck.mcp.ways import Way

__all__ = ["Probing"]

_Wait = Callable[[Future[Any]], Awaitable[Any]]


class Probing(ConnectionMap):
    """The methods of `Connections` for whoever debugs a server."""

    _blocking: Way
    _awaited: Way

    def request(self, label: str, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Send a request of the protocol to a server; gives the raw result, unchecked.

        Raises `McpAnswerError` for an answer that is an error, and `DefinitionError` for ``tools/call``,
        since calls go through the deck.
        """
        return step(self._request(self[label], method, params, self._blocking.wait))

    async def arequest(self, label: str, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """The same as `request`, to be awaited."""
        return await self._request(self[label], method, params, self._awaited.wait)

    def ping(self, label: str) -> float:
        """Ask a server whether it is there; gives the seconds until it answered."""
        return step(self._ping(self[label], self._blocking.wait))

    async def aping(self, label: str) -> float:
        """The same as `ping`, to be awaited."""
        return await self._ping(self[label], self._awaited.wait)

    async def _request(
        self, made: Connection, method: str, params: Mapping[str, Any] | None, wait: _Wait
    ) -> Any:
        if method == "tools/call":
            raise DefinitionError(
                "Tools are called through the deck, which checks, asks and logs: deck.call(name, …)."
            )
        return await wait(made.session.request(method, params))

    async def _ping(self, made: Connection, wait: _Wait) -> float:
        started = time.perf_counter()
        await wait(made.session.request("ping" if made.session.is_legacy else "server/discover"))
        return time.perf_counter() - started

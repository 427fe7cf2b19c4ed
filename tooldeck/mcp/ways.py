"""The two ways in which the same steps are driven: blocking the calling thread, or awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.hosts.blocking import step
from tooldeck.mcp.waiting import wait_for

__all__ = ["Asked", "Way", "Ways", "awaited_way", "blocking_way"]

T = TypeVar("T")

Asked = tuple[Tool, dict[str, Any]]
"""A question to the person: a tool of our own, and the arguments it is called with."""


class Way(NamedTuple):
    """How the steps of connecting wait and ask."""

    wait: Callable[[Future[Any]], Awaitable[Any]]
    ask: Callable[[Asked], Awaitable[ToolResult | None]]
    """Puts a question before the person; None where there is no deck to ask with."""


def blocking_way(
    wait: Callable[[Future[Any]], Any], call: Callable[[Tool, Mapping[str, Any]], ToolResult] | None
) -> Way:
    """Steps that never suspend."""

    async def waited(future: Future[Any]) -> Any:
        return wait_for(future, wait)

    async def asked(question: Asked) -> ToolResult | None:
        return None if call is None else call(*question)

    return Way(waited, asked)


def awaited_way(
    wait: Callable[[Future[Any]], Awaitable[Any]],
    call: Callable[[Tool, Mapping[str, Any]], Awaitable[ToolResult]] | None,
) -> Way:
    """Steps for a running loop."""

    async def asked(question: Asked) -> ToolResult | None:
        return None if call is None else await call(*question)

    return Way(wait, asked)


@dataclass(frozen=True, slots=True)
class Ways:
    """Both of them; by default those of a program without a deck."""

    blocking: Way = field(default_factory=lambda: blocking_way(Future.result, None))
    awaited: Way = field(default_factory=lambda: awaited_way(asyncio.wrap_future, None))

    def block(self, future: Future[T]) -> T:
        """The result of a future, by blocking."""
        return step(self._waited(self.blocking, future))

    async def wait(self, future: Future[T]) -> T:
        """The same, awaited."""
        return await self._waited(self.awaited, future)

    @staticmethod
    async def _waited(way: Way, future: Future[T]) -> T:
        return await way.wait(future)

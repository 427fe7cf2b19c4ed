"""Calls that a built-in tool makes itself: blocking where it is called so, awaited on a loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from tooldeck.core.result import ToolResult
from tooldeck.hosts.blocking import step

__all__ = ["Call", "with_calls"]

Call = Callable[[str, Any], Awaitable[ToolResult]]
"""Takes the name of a tool and its arguments."""


def with_calls(deck: Any, work: Callable[[Call], Coroutine[Any, Any, Any]]) -> Any:
    """What `work` returns; where a loop runs, what has to be awaited for it.

    A body that returns something to await is awaited by the pipeline, so one body serves both.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return step(work(_blocking(deck)))
    return work(deck.acall)


def _blocking(deck: Any) -> Call:
    async def call(name: str, arguments: Any) -> ToolResult:
        return deck.call(name, arguments)

    return call

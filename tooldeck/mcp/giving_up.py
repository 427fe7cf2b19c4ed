"""Ends what goes on at a server when the call that waits for it is given up: a person pressed Cancel."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from tooldeck.core.call import current_call
from tooldeck.core.cancel import token_of
from tooldeck.core.errors import Cancelled

__all__ = ["unless_given_up"]

T = TypeVar("T")


async def unless_given_up(work: Awaitable[T]) -> T:
    """Await `work` on the session's loop; when the calling call is given up it is cancelled there.

    Raises `Cancelled` then. A cancellation from outside goes through as it is.
    """
    call, task = current_call(), asyncio.current_task()
    if call is None or task is None:
        return await work
    loop, token = asyncio.get_running_loop(), token_of(call)
    waits, stopped = True, False

    def stop() -> None:
        nonlocal stopped
        if waits:
            stopped = True
            task.cancel()

    undo = token.on_cancel(lambda: loop.call_soon_threadsafe(stop))
    try:
        return await work
    except asyncio.CancelledError:
        if stopped and task.uncancel() == 0:
            raise Cancelled(token.reason) from None
        raise
    finally:
        waits = False
        undo()

"""Waiting in the middle of a call: cancelling the call ends it, and the trace shows it."""

from __future__ import annotations

import contextlib
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING

from tooldeck.core.call import ToolCall
from tooldeck.core.call_log import Span
from tooldeck.core.cancel import token_of

if TYPE_CHECKING:
    from tooldeck.core.world import World

__all__ = ["paused"]


async def paused(call: ToolCall, world: World, seconds: float) -> str | None:
    """Wait so many seconds; the reason where the call was given up meanwhile, else None."""
    token, woken, start = token_of(call), Future[None](), world.host.now()

    def wake() -> None:
        with contextlib.suppress(InvalidStateError):
            woken.set_result(None)

    undo = token.on_cancel(wake)
    try:
        await world.host.sleep(seconds, woken)
    finally:
        undo()
        if call.log.spans is not None:
            begun, end = start - call.log.started, world.host.now() - call.log.started
            call.log.spans.append(Span("wait", begun, end, "", call.log.depth))
    return token.reason if token.cancelled else None

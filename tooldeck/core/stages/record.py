"""record: the start and the end of every call, told to observers and kept in the history."""

from __future__ import annotations

import asyncio
from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.events import CallEnded, CallStarted
from tooldeck.core.result import ToolResult
from tooldeck.core.strangers import error_words
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def record(next: Handler, tool: Any, world: World) -> Handler:
    """Frame the call: exactly one end for every start, whatever happens inside."""

    async def run(call: ToolCall) -> Outcome:
        try:
            if world.emit is not None:
                world.emit(CallStarted(call))
            outcome = await next(call)
        except (KeyboardInterrupt, asyncio.CancelledError) as stop:
            words = "interrupted by a person" if isinstance(stop, KeyboardInterrupt) else "cancelled"
            _finish(call, Outcome(Status.CANCELLED, error=f"{call.name}: {words}.", exception=stop), world)
            raise
        except BaseException as error:
            _finish(call, Outcome(Status.FAILED, error=error_words(error), exception=error), world)
            raise
        _finish(call, outcome, world)
        return outcome

    return run


def _finish(call: ToolCall, outcome: Outcome, world: World) -> None:
    log = call.log
    status, value, error, exception, problems, retry_after, _, _, _, _ = outcome
    result = ToolResult(
        status,
        value,
        log.text or (error or ""),
        error,
        tuple(log.notes),
        log.attempts,
        world.host.now() - log.started,
        log.call or call,
        problems,
        exception,
        retry_after,
        tuple(log.spans) if log.spans is not None else (),
        log.decisions or None,
        log.parts,
        log.artifacts,
    )
    log.result = result
    world.keep(result)
    if world.emit is not None:
        world.emit(CallEnded(result))

"""wrap: innermost. Runs the body where it belongs; the one place where an exception becomes an outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import CoroutineType
from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.call_log import Span
from tooldeck.core.cancel import token_of
from tooldeck.core.collecting import outcome_of
from tooldeck.core.current import CURRENT
from tooldeck.core.deadline import Deadline
from tooldeck.core.errors import Cancelled, ExpectedError, NotProvided, TooManyHungBodies
from tooldeck.core.events import AttemptStarted, Streamed
from tooldeck.core.host import LimitPassed, Work
from tooldeck.core.invoking import STREAMS, Tell, collected, gathered
from tooldeck.core.strangers import error_words, to_text
from tooldeck.core.tool import Tool
from tooldeck.core.transient import is_transient, retry_after
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def wrap(next: Handler, tool: Tool, world: World) -> Handler:
    """Run the body and collect what it gives."""
    invoke = tool.invoke
    needs = tool.injected
    # On the caller's own thread where that is possible, so that prints and figures land where the caller is.
    limited = tool.timeout is not None or tool.call_timeout is not None
    may = (world.host.in_place or not tool.is_async) and not world.away
    here = may and tool.executor is None and not limited
    awaits = here and tool.is_async

    async def run(call: ToolCall) -> Outcome:
        log = call.log
        log.attempts += 1
        start = world.host.now() if log.spans is not None else 0.0
        if world.emit is not None:
            world.emit(AttemptStarted(call, log.attempts))
        token = CURRENT.set(call)
        try:
            values = call.values if not needs else {**call.values, **world.services.fill(needs, call, world)}
            value = invoke(values) if here else await _elsewhere(tool, world, call, values)
            if awaits and type(value) is CoroutineType:
                value = await value
            elif type(value) in STREAMS or hasattr(type(value), "__await__"):
                value = await _whole(value, tool, world, call)
        except LimitPassed:
            token_of(call).cancel("its time limit passed")
            raise
        except Exception as error:  # noqa: BLE001 - this is the place for it
            return _failed(tool, call, error)
        except BaseException as stop:  # an interrupt, or the task was cancelled
            token_of(call).cancel(_words(stop))
            raise
        finally:
            CURRENT.reset(token)
            if log.progress is not None:
                log.progress.end()
            if log.spans is not None:
                begun, end = start - log.started, world.host.now() - log.started
                log.spans.append(Span(f"attempt {log.attempts}", begun, end, "", log.depth))
        return outcome_of(value)

    return run


async def _elsewhere(tool: Tool, world: World, call: ToolCall, values: Mapping[str, Any]) -> Any:
    """On a loop, in a thread or in another process, as the host knows."""
    tell = _teller(world, call) if tool.executor is None else None  # another process cannot tell
    function = partial(gathered, tool.invoke, values, tell)
    work = Work(function, tool.is_async, tool.executor, call.log.clock, tool.name)
    if tool.timeout is None:
        return await world.host.run(work)
    log, whole = call.log, call.log.clock
    log.clock = Deadline(world.host.now, tool.timeout, whole)
    try:
        value = await world.host.run(replace(work, limit=log.clock))
        return await _whole(value, tool, world, call)
    finally:
        log.clock = whole


async def _whole(value: Any, tool: Tool, world: World, call: ToolCall) -> Any:
    """The value in the end, where the body gave a stream or something to await."""
    while True:
        if type(value) in STREAMS:
            value = collected(value, _teller(world, call))
        elif hasattr(type(value), "__await__"):
            work = Work(partial(_itself, value), is_async=True, limit=call.log.clock, label=tool.name)
            value = await world.host.run(work)
        else:
            return value


def _teller(world: World, call: ToolCall) -> Tell:
    """Who hears of each item of a stream; ends the stream of a call that was given up."""
    emit = world.emit

    def tell(index: int, item: Any) -> None:
        token_of(call).raise_if_cancelled()  # made here: most bodies are no streams and need none
        if emit is not None:
            emit(Streamed(call, index, item))

    return tell


def _words(stop: BaseException) -> str:
    return "it was interrupted" if isinstance(stop, KeyboardInterrupt) else "it was cancelled"


def _itself(value: Any) -> Any:
    return value


def _failed(tool: Tool, call: ToolCall, error: Exception) -> Outcome:
    """What went wrong. A tool that gives a proper "no" is not at fault."""
    kind = type(error)  # asked of its type, since an exception of strangers may raise when asked itself
    if issubclass(kind, (ExpectedError, NotProvided, TooManyHungBodies)):
        return Outcome(Status.FAILED, error=to_text(error), exception=error, counts=False)
    if issubclass(kind, Cancelled):
        return Outcome(Status.CANCELLED, error=f"{tool.name} gave up: {to_text(error)}.", exception=error)
    transient = error is not call.log.repeated and is_transient(error, tool.retry.types)
    message = error_words(error)
    if transient and not tool.repeatable and tool.retry.attempts > 1:
        message += " (not repeated, because the tool is not declared idempotent)"
    wait = retry_after(error)
    return Outcome(Status.FAILED, error=message, exception=error, retry_after=wait, transient=transient)

"""wrap: innermost. Runs the body where it belongs; the one place where an exception becomes an outcome."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tooldeck.core.call import CURRENT, Outcome, Span, ToolCall
from tooldeck.core.errors import ExpectedError
from tooldeck.core.events import AttemptStarted
from tooldeck.core.host import LimitPassed, Work
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.core.transient import is_transient, retry_after
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def wrap(next: Handler, tool: Tool, world: World) -> Handler:
    """Run the body and collect what it gives."""
    here = not tool.is_async and tool.executor is None and tool.timeout is None
    body = _here(tool, world) if here else _elsewhere(tool, world)

    async def run(call: ToolCall) -> Outcome:
        log = call.log
        log.attempts += 1
        start = world.host.now() if log.spans is not None else 0.0
        if world.emit is not None:
            world.emit(AttemptStarted(call, log.attempts))
        token = CURRENT.set(call)
        try:
            value = await body(call)
        except LimitPassed:
            raise
        except ExpectedError as error:
            return Outcome(Status.FAILED, error=str(error), exception=error, counts=False)
        except Exception as error:
            return Outcome(
                Status.FAILED,
                error=_message(error),
                exception=error,
                retry_after=retry_after(error),
                transient=is_transient(error),
            )
        finally:
            CURRENT.reset(token)
            if log.spans is not None:
                begun = start - log.started
                log.spans.append(
                    Span(f"attempt {log.attempts}", begun, world.host.now() - log.started, "", log.depth)
                )
        return _nested(value) if isinstance(value, ToolResult) else Outcome(Status.OK, value)

    return run


def _here(tool: Tool, world: World) -> Callable[[ToolCall], Any]:
    """Straight on the caller's thread, so that prints and figures land where the caller is."""
    invoke = tool.invoke

    async def body(call: ToolCall) -> Any:
        value = invoke(call.values)
        if hasattr(value, "__await__"):
            return await world.host.run(Work(lambda: value, is_async=True, label=tool.name))
        return value

    return body


def _elsewhere(tool: Tool, world: World) -> Callable[[ToolCall], Any]:
    async def body(call: ToolCall) -> Any:
        function = partial(tool.invoke, call.values)
        return await world.host.run(Work(function, tool.is_async, tool.executor, tool.timeout, tool.name))

    return body


def _nested(result: ToolResult) -> Outcome:
    """A body that returns another call's result ends the way that call ended."""
    return Outcome(
        result.status, result.value, result.error, result.exception, result.problems, result.retry_after
    )


def _message(error: Exception) -> str:
    said = str(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__

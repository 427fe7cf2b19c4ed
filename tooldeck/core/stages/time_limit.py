"""time_limit: an attempt that takes too long ends at once, and says whether its body may still be running."""

from __future__ import annotations

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.host import LimitPassed
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def time_limit(next: Handler, tool: Tool, world: World) -> Handler:
    """Turn a passed limit into an outcome; the host keeps the clock, or the executor its own.

    Cannot act on tools that have no limit and run on the caller.
    """
    if tool.timeout is None and tool.executor is None:
        return next

    async def run(call: ToolCall) -> Outcome:
        try:
            return await next(call)
        except LimitPassed as passed:
            call.log.decide("time_limit", f"passed {passed.limit:g} s")
            after = "; its body may still be running" if passed.still_running else ""
            told = passed.told or f"{tool.name} took longer than its limit of {passed.limit:g} s{after}."
            return Outcome(Status.TIMEOUT, error=told)

    return run

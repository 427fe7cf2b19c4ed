"""call_limit, time_limit: what takes too long ends at once, and says whether its body may still be running.

`call_limit` starts the clock of the whole call, `time_limit` tells of one that has passed. The clocks of a
call stand still while a person is asked about a call that its body makes.
"""

from __future__ import annotations

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.deadline import Deadline
from tooldeck.core.host import LimitPassed
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def call_limit(next: Handler, tool: Tool, world: World) -> Handler:
    """Give the call its deadline, approvals not counted; cannot act on tools without one."""
    seconds = tool.call_timeout
    if seconds is None:
        return next

    async def run(call: ToolCall) -> Outcome:
        call.log.clock = Deadline(world.host.now, seconds)
        return await next(call)

    return run


def time_limit(next: Handler, tool: Tool, world: World) -> Handler:
    """Turn a passed limit into an outcome; the host keeps the clock, or the executor its own.

    Cannot act on tools that have no limit and run on the caller.
    """
    if tool.timeout is None and tool.call_timeout is None and tool.executor is None:
        return next

    async def run(call: ToolCall) -> Outcome:
        try:
            return await next(call)
        except LimitPassed as passed:
            call.log.decide("time_limit", f"passed {passed.limit:g} s")
            clock = call.log.clock
            whole = ", for the whole call," if clock is not None and clock.left() <= 0 else ""
            after = "; its body may still be running" if passed.still_running else ""
            told = f"{tool.label} took longer than its limit{whole} of {passed.limit:g} s{after}."
            return Outcome(Status.TIMEOUT, error=passed.told or told)

    return run

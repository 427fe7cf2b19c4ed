"""steer: a person's word to a run that is under way; a stopped run starts no further call."""

from __future__ import annotations

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def steer(next: Handler, tool: Tool, world: World) -> Handler:
    """Cancel the calls of a stopped run; cannot act outside of runs."""
    if not world.in_run:
        return next

    async def run(call: ToolCall) -> Outcome:
        current = call.caller.run
        reason = current.stopped if current is not None else None
        if reason is not None:
            call.log.decide("steer", f"stopped: {reason}")
            return Outcome(Status.CANCELLED, error=f"{tool.name} was not started: {reason}.")
        return await next(call)

    return run

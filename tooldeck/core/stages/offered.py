"""offered: a tool that is not allowed here, switched off or not available answers with the reason."""

from __future__ import annotations

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def offered(next: Handler, tool: Tool, world: World) -> Handler:
    """Refuse calls of tools that are not there; cannot act on a tool without a gate."""
    gate = world.gates.of(tool, available=world.tape is not None and world.tape.playing)
    if gate is None:
        return next

    async def run(call: ToolCall) -> Outcome:
        reason = gate()
        if reason is None:
            return await next(call)
        call.log.decide("offered", reason)
        return Outcome(Status.DENIED, error=f"{tool.label} cannot be used: {reason}.")

    return run

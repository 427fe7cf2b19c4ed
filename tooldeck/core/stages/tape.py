"""tape: while results are recorded each end is kept; while they are replayed nothing further in runs."""

from __future__ import annotations

from tooldeck.core.approval import Word
from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.stages.approve import denied
from tooldeck.core.tool import Tool
from tooldeck.core.world import Handler, World


def tape(next: Handler, tool: Tool, world: World) -> Handler:
    """Keep what comes back, or give back what was kept; cannot act without a recording."""
    current = world.tape
    if current is None:
        return next

    async def recorded(call: ToolCall) -> Outcome:
        outcome = await next(call)
        current.keep(tool, call, outcome)
        return outcome

    async def replayed(call: ToolCall) -> Outcome:
        verdict = world.policy.decide(call)
        if verdict.word is Word.DENY:
            return denied(tool, verdict)
        call.log.decide("tape", "replayed")
        return current.play(tool, call)

    return replayed if current.playing else recorded

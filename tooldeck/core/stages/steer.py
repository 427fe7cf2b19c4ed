"""steer: a person's word to a run; a stopped run, or a body that was given up, starts no further call."""

from __future__ import annotations

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.strangers import to_text
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def steer(next: Handler, tool: Tool, world: World) -> Handler:
    """Cancel what a person interrupts, and what nobody waits for; cannot act on calls that stand alone."""
    if not world.in_run:
        return next

    async def run(call: ToolCall) -> Outcome:
        return held(call) or await next(call)

    return run


def held(call: ToolCall) -> Outcome | None:
    """The end of a call that its run, or the call around it, does not let start, or None."""
    outer = call.log.outer
    if outer is not None and outer.token is not None and outer.token.cancelled:
        call.log.decide("steer", "the call around it was given up")
        said = f"{call.name} was not started, since the call around it was given up: {outer.token.reason}."
        return Outcome(Status.CANCELLED, error=said)
    current = call.caller.run
    if current is None:
        return None
    reason = current.stopped
    if reason is not None:
        call.log.decide("steer", f"stopped: {to_text(reason)}")
        return Outcome(Status.CANCELLED, error=f"{call.name} was not started: {to_text(reason)}.")
    said = current.heard()
    if said is None:
        return None
    call.log.decide("steer", "interrupted by a person")
    return Outcome(Status.CANCELLED, error=f"{call.name} was not started, because a person says: {said}")

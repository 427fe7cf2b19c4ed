"""steer: a person's word to a run; what is stopped, given up or not meant for a run never starts."""

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
        return held(call) or _not_for(call, tool) or await next(call)

    return run


def held(call: ToolCall) -> Outcome | None:
    """The end of a call that its run, or the call around it, does not let start, or None."""
    around = given_up(call)
    if around is not None:
        call.log.decide("steer", "the call around it was given up")
        return Outcome(Status.CANCELLED, error=f"{call.name} was not started, since {around}.")
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


def _not_for(call: ToolCall, tool: Tool) -> Outcome | None:
    """The end of a call of a tool that its run was not given, whoever's body makes it; or None."""
    current = call.caller.run
    if current is None or current.tools is None or tool.name in current.tools:
        return None
    call.log.decide("steer", "not among the tools of this run")
    have = ", ".join(sorted(current.tools)) or "none"
    said = f"{tool.name} was not started: it is not among the tools of this run, which are: {have}."
    return Outcome(Status.DENIED, error=said)


def given_up(call: ToolCall) -> str | None:
    """Why nobody waits for the call around this one any more, in a clause; None where there is none."""
    outer = call.log.outer
    if outer is None or outer.token is None or not outer.token.cancelled:
        return None
    return f"the call around it was given up: {outer.token.reason}"

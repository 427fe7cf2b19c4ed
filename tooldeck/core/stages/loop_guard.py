"""loop_guard: the same call with the same result, again and again within one run, is no progress."""

from __future__ import annotations

import hashlib

from tooldeck.core.call import Outcome, Run, ToolCall
from tooldeck.core.canonical import canonical_text
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World

WARN_AT = 3
"""Identical calls with identical results in a row after which the caller is told."""
BLOCK_AT = 5
"""Identical calls with identical results in a row after which the next one is refused."""
HALT_AT = 3
"""Refused calls after which the run is stopped."""


def loop_guard(next: Handler, tool: Tool, world: World) -> Handler:
    """Warn of and then block repetition without progress; cannot act outside of runs."""
    if not world.in_run:
        return next

    async def run(call: ToolCall) -> Outcome:
        current = call.caller.run
        if current is None:
            return await next(call)
        key = f"{tool.name}({canonical_text(call.arguments)})"
        count = current.repetitions.of(key)
        if count >= BLOCK_AT:
            return _blocked(call, current, count)
        outcome = await next(call)
        count = current.repetitions.note(key, _digest(outcome))
        if count >= WARN_AT:
            call.log.decide("loop_guard", f"warned at {count}")
            call.log.note("loop_guard", f"the same call has given the same result {count} times")
        return outcome

    return run


def _blocked(call: ToolCall, current: Run, count: int) -> Outcome:
    """Refuse the call; stop the run that does not take the hint."""
    call.log.decide("loop_guard", f"blocked after {count}")
    if current.repetitions.block() >= HALT_AT:
        current.stop("it repeated calls without progress")
    said = f"{call.name} gave the same result {count} times for the same arguments; try something else."
    return Outcome(Status.LOOPING, error=said)


def _digest(outcome: Outcome) -> str:
    whole = f"{outcome.status}\0{outcome.error}\0{canonical_text(outcome.value)}"
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()

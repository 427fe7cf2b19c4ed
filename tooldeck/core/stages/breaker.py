"""closed?, breaker: a tool that keeps failing is left alone for a while.

`closed` refuses before anybody is asked for a call that cannot run; `breaker` admits the call and counts its
end.
"""

from __future__ import annotations

import math

from tooldeck.core.breaker import Admission, Breaker
from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.stages.approve import never_asks
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World

# Bound once: reading a member off its Enum costs 0.1 µs on Python 3.11, and this runs for every call.
_OK, _PROBE, _REFUSED = Status.OK, Admission.PROBE, Admission.REFUSED


def closed(next: Handler, tool: Tool, world: World) -> Handler:
    """Refuse at once while the breaker is open; not needed where nothing is asked before `breaker`."""
    if tool.breaker.threshold == 0 or (never_asks(tool, world) and not world.tracing):
        return next
    circuit = world.breaker(tool)

    async def run(call: ToolCall) -> Outcome:
        if circuit.would_refuse():
            call.log.decide("closed", "open")
            return _tripped(tool, circuit)
        return await next(call)

    return run


def breaker(next: Handler, tool: Tool, world: World) -> Handler:
    """Admit and count. Counted are failures and time-outs of the tool itself, nothing else."""
    if tool.breaker.threshold == 0:
        return next
    circuit = world.breaker(tool)

    async def run(call: ToolCall) -> Outcome:
        admission = circuit.admit()
        if admission is _REFUSED:
            call.log.decide("breaker", "open")
            return _tripped(tool, circuit)
        probe = admission is _PROBE
        if probe:
            call.log.decide("breaker", "probe")
        try:
            outcome = await next(call)
        except BaseException:
            circuit.settle(ok=None, probe=probe)
            raise
        circuit.settle(ok=_speaks_for(outcome), probe=probe, error=outcome.error or "")
        return outcome

    return run


def _speaks_for(outcome: Outcome) -> bool | None:
    """Whether the end speaks for the tool (True), against it (False) or neither way (None)."""
    if outcome.status is _OK:
        return True
    if outcome.status is Status.TIMEOUT or (outcome.status is Status.FAILED and outcome.counts):
        return False
    return None


def _tripped(tool: Tool, circuit: Breaker) -> Outcome:
    circuit.refuse()
    left = circuit.seconds_left()
    state = circuit.state
    when = f"one probe may run in {math.ceil(left)} s" if left > 0 else "a probe is in progress"
    return Outcome(
        Status.TRIPPED,
        error=f"{tool.name} failed {state.failures} times in a row (last: {state.last_error}) "
        f"and is left alone; {when}.",
        retry_after=left,
    )

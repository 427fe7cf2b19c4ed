"""closed?, breaker: a tool, or a target of it, that keeps failing is left alone for a while.

`closed` refuses before anybody is asked for a call that cannot run; `breaker` admits the call and counts its
end. A tool of a server goes through two breakers: the server's, which counts that it cannot be reached, and
its own, which counts the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tooldeck.core.breaker import Admission, Breaker
from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.stages.approve import never_asks
from tooldeck.core.strangers import error_words
from tooldeck.core.targets import target_of
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World

# Bound once: reading a member off its Enum costs 0.1 µs on Python 3.11, and this runs for every call.
_OK, _PROBE, _REFUSED = Status.OK, Admission.PROBE, Admission.REFUSED

_Found = tuple[Breaker, str]
"""A breaker and the target that it watches; an empty text for the tool itself."""
_Speaks = Callable[[Outcome], bool | None]
"""Whether an end speaks for what a breaker watches (True), against it (False) or neither way (None)."""


def closed(next: Handler, tool: Tool, world: World) -> Handler:
    """Refuse at once while a breaker is open; not needed where nothing is asked before `breaker`."""
    if tool.breaker.off or (never_asks(tool, world) and not world.tracing):
        return next

    async def run(call: ToolCall) -> Outcome:
        target = "" if tool.target is None else _target(tool, call)
        server = world.circuits.of_server(tool)
        for circuit, watched in ((server, _server_of(tool)), (world.circuits.of(tool, target), target)):
            if circuit is not None and circuit.would_refuse():
                call.log.decide("closed", "open")
                return _tripped(tool, circuit, watched)
        return await next(call)

    return run


def breaker(next: Handler, tool: Tool, world: World) -> Handler:
    """Admit and count. Counted are failures and time-outs of the tool itself, nothing else."""
    if tool.breaker.off:
        return next
    circuits = world.circuits

    def of_target(call: ToolCall) -> _Found:
        target = _target(tool, call, note=True)
        return circuits.of(tool, target), target

    def of_server(_call: ToolCall) -> _Found:  # for each call: a new connection starts afresh
        return circuits.of_server(tool) or circuits.of(tool), _server_of(tool)

    fixed = circuits.of(tool) if tool.target is None else None
    guarded = _guarded(next, tool, fixed, of_target, _own(tool))
    return guarded if tool.shared is None else _guarded(guarded, tool, None, of_server, _reach(tool))


def _guarded(
    next: Handler, tool: Tool, fixed: Breaker | None, find: Callable[[ToolCall], _Found], speaks: _Speaks
) -> Handler:
    """One breaker around a handler: always `fixed`, or the one to `find` for the call."""

    async def run(call: ToolCall) -> Outcome:
        circuit, name = fixed, ""
        if circuit is None:
            circuit, name = find(call)
        probe = False
        try:
            admission = circuit.admit()
            if admission is _REFUSED:
                call.log.decide("breaker", "open")
                return _tripped(tool, circuit, name)
            probe = admission is _PROBE
            if probe:
                call.log.decide("breaker", "probe")
            outcome = await next(call)
            circuit.settle(ok=speaks(outcome), probe=probe, error=outcome.error or "")
        except BaseException:  # to settle once more does no harm
            circuit.settle(ok=None, probe=probe)
            raise
        return outcome

    return run


def _own(tool: Tool) -> _Speaks:
    """What an end says of the tool itself, and of the target that its author names."""
    beside = (*tool.breaker.ignored, *(tool.shared.faults if tool.shared is not None else ()))

    def speaks(outcome: Outcome) -> bool | None:
        if outcome.status is _OK:
            return True
        if outcome.status is Status.TIMEOUT:
            return False
        if outcome.status is not Status.FAILED or not outcome.counts:
            return None
        return None if issubclass(type(outcome.exception), beside) else False

    return speaks


def _reach(tool: Tool) -> _Speaks:
    """What an end says of the server: any answer of it speaks for it."""
    faults = tool.shared.faults if tool.shared is not None else ()

    def speaks(outcome: Outcome) -> bool | None:
        if outcome.status is _OK:
            return True
        if outcome.status is not Status.FAILED:
            return None
        if isinstance(outcome.exception, tool.breaker.ignored):
            return None
        return not isinstance(outcome.exception, faults)

    return speaks


def _target(tool: Tool, call: ToolCall, *, note: bool = False) -> str:
    """What the call is aimed at; nothing in particular where the author's function fails."""
    try:
        return target_of(tool.target(call.values) if tool.target is not None else None)
    except Exception as error:  # noqa: BLE001 - functions of the user may raise anything
        if note:
            call.log.note("breaker", f"the target of the call could not be read: {error_words(error)}")
        return ""


def _server_of(tool: Tool) -> str:
    return "" if tool.shared is None else tool.shared.name


def _tripped(tool: Tool, circuit: Breaker, watched: str) -> Outcome:
    circuit.refuse()
    left, state = circuit.seconds_left(), circuit.state
    when = f"one probe may run in {math.ceil(left)} s" if left > 0 else "a probe is in progress"
    if tool.shared is not None and watched == tool.shared.name:
        what = f"{tool.label}: its server {watched!r} could not be reached"
    else:
        what = f"{tool.label} failed" + (f" for {watched!r}" if watched else "")
    said = f"{what} {_how_often(circuit)} (last: {state.last_error}) and is left alone; {when}."
    return Outcome(Status.TRIPPED, error=said, retry_after=left)


def _how_often(circuit: Breaker) -> str:
    """Which rule opened it, in words."""
    state, threshold = circuit.state, circuit.settings.threshold
    if state.window and not 0 < threshold <= state.failures:
        return f"in {sum(state.window)} of the last {len(state.window)} calls"
    return f"{state.failures} times in a row"

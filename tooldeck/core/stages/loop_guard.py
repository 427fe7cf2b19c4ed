"""misses, loop_guard: the same calls with the same results, again and again within one run, are no progress.

`loop_guard` knows a call by its tool and its understood arguments. `misses` looks after the calls that never
got so far, because there is no such tool or the arguments do not fit, and knows them by what was asked for.
"""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.canonical import canonical_text, unlike_any
from tooldeck.core.run import Run
from tooldeck.core.settings import LoopSettings
from tooldeck.core.stages.steer import held
from tooldeck.core.strangers import to_repr
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World

_MISSES = frozenset({Status.UNKNOWN, Status.INVALID, Status.BLOCKED})
_ARRAYS = frozenset({"numpy", "pandas", "polars", "xarray"})
"""Packages whose values leave out their middle when they are printed."""


def misses(next: Handler, tool: Any, world: World) -> Handler:
    """Warn of and then refuse calls that miss in the same way every time; cannot act outside of runs."""
    if not world.in_run:
        return next

    async def run(call: ToolCall) -> Outcome:
        current = call.caller.run
        if current is None:
            return await next(call)
        settings = current.loop_guard or world.loop_guard
        key = f"{call.name}? {canonical_text(call.raw)}"
        if current.stopped is None and _is_spent(current, key, settings):
            return _refused(call, current, key, settings)
        outcome = await next(call)
        if outcome.status is Status.UNKNOWN:  # no stage that knows the tool has looked at the run
            outcome = held(call) or outcome
        if outcome.status in _MISSES:
            _note(call, current, key, outcome, settings)
        return outcome

    return run


def loop_guard(next: Handler, tool: Tool, world: World) -> Handler:
    """Warn of and then refuse repetition without progress; cannot act outside of runs."""
    if not world.in_run:
        return next

    async def run(call: ToolCall) -> Outcome:
        current = call.caller.run
        if current is None:
            return await next(call)
        settings = current.loop_guard or world.loop_guard
        key = f"{tool.name}({canonical_text(call.arguments)})"
        if _is_spent(current, key, settings):
            return _refused(call, current, key, settings)
        outcome = await next(call)
        _note(call, current, key, outcome, settings)
        return outcome

    return run


def _is_spent(run: Run, key: str, settings: LoopSettings) -> bool:
    return 0 < settings.block <= run.repetitions.of(key)


def _note(call: ToolCall, run: Run, key: str, outcome: Outcome, settings: LoopSettings) -> None:
    """Count an end, and say beside it when it was no progress."""
    count = run.repetitions.note(key, _digest(outcome), settings.period)
    if 0 < settings.warn <= count:
        call.log.decide("loop_guard", f"warned at {count}")
        call.log.note("loop_guard", f"the same call has given the same result {count} times")


def _refused(call: ToolCall, run: Run, key: str, settings: LoopSettings) -> Outcome:
    """Refuse the call; stop the run that does not take the hint."""
    count = run.repetitions.of(key)
    call.log.decide("loop_guard", f"blocked after {count}")
    if 0 < settings.halt <= run.repetitions.refuse():
        run.stop("it repeated calls without progress")
    said = f"{call.name} gave the same result {count} times for the same arguments; try something else."
    return Outcome(Status.LOOPING, error=said)


def _digest(outcome: Outcome) -> str:
    """What tells one end of a call from another: the whole of it."""
    # These tell the seconds that are left, which is no news.
    error = "" if outcome.status in (Status.TRIPPED, Status.LIMITED) else outcome.error
    value = canonical_text(outcome.value, _whole)
    return _hash(f"{outcome.status}\0{error}\0{value}\0".encode("utf-8", "surrogatepass") + _parts(outcome))


def _parts(outcome: Outcome) -> bytes:
    if outcome.answer is None:
        return b""
    try:
        return pickle.dumps(outcome.answer.parts)
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return unlike_any(outcome.answer.parts).encode()


def _whole(value: Any) -> str:
    """A value that JSON cannot carry, complete."""
    if type(value).__module__.partition(".")[0] in _ARRAYS or hasattr(type(value), "_told_as_text_"):
        return _hash(pickle.dumps(value))
    return to_repr(value)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

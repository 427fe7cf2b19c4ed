"""retry: another attempt for tools declared idempotent or read-only, after transient failures only.

Exponential backoff with full jitter, after M. Brooker, "Exponential Backoff And Jitter" (AWS, 2015).
"""

from __future__ import annotations

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.current import CURRENT
from tooldeck.core.events import RetryWaits
from tooldeck.core.hooks import objection
from tooldeck.core.owned import ATOMS, owned
from tooldeck.core.pausing import paused
from tooldeck.core.settings import RetrySettings
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World

# Bound once: reading a member off its Enum costs 0.1 µs on Python 3.11, and this runs for every call.
_FAILED = Status.FAILED
_SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})
"""Types of a schema whose values nobody can change."""


def retry(next: Handler, tool: Tool, world: World) -> Handler:
    """Repeat what may be repeated; cannot act on other tools."""
    settings = tool.retry
    if not tool.repeatable or settings.attempts == 1:
        return next
    hooks = world.hooks.of("on_retry", tool)
    afresh = _itself if _takes_scalars_only(tool) else _afresh

    async def run(call: ToolCall) -> Outcome:
        left = settings.budget
        for attempt in range(1, settings.attempts):
            outcome = await next(afresh(call))
            if outcome.status is not _FAILED or not outcome.transient:
                return outcome
            pause = settings.pause(attempt, outcome.retry_after)
            if not _may_wait(call, settings, left, attempt, pause):
                return _given_up(outcome)
            report = RetryWaits(call, attempt, pause, outcome.error or "")
            stopped = await objection(hooks, report, world.host)
            if stopped is not None:
                call.log.note("retry", f"not tried again after attempt {attempt}: {stopped}")
                return _given_up(outcome)
            if world.emit is not None:
                world.emit(report)
            left -= pause
            call.log.decide("retry", f"attempt {attempt + 1} after {pause:.2f} s")
            stopped = await paused(call, world, pause)
            if stopped is not None:
                call.log.decide("retry", f"stopped: {stopped}")
                return Outcome(Status.CANCELLED, error=f"{call.name} was not tried again: {stopped}.")
        return _given_up(await next(afresh(call)))

    return run


def _takes_scalars_only(tool: Tool) -> bool:
    schema = tool.parameters
    described = schema.get("properties", {}).values()
    is_open = schema.get("additionalProperties", True) is not False
    return not is_open and all(
        isinstance(one, dict) and str(one.get("type")) in _SCALARS for one in described
    )


def _itself(call: ToolCall) -> ToolCall:
    return call


def _afresh(call: ToolCall) -> ToolCall:
    """The call for one attempt, whose body may change what it was given without changing it for the next."""
    values = call.values
    if ATOMS.issuperset(map(type, values.values())):
        return call
    return call._replace(values=owned(values))


def _may_wait(call: ToolCall, settings: RetrySettings, left: float, attempt: int, pause: float) -> bool:
    """Whether the wait is one that was allowed; says so where it is not."""
    clock = call.log.clock
    limit = min(left, settings.cap, left if clock is None else max(0.0, clock.left()))
    if pause <= limit:
        return True
    call.log.note(
        "retry",
        f"gave up after attempt {attempt}: the next needs a wait of {pause:.1f} s, "
        f"and {limit:.1f} s are allowed",
    )
    return False


def _given_up(outcome: Outcome) -> Outcome:
    """An end that stands. The body around this call is not repeated for the very same exception.

    Layers that each try three times would else make nine attempts of one failure.
    """
    around = CURRENT.get()
    if around is not None and outcome.exception is not None and outcome.transient:
        around.log.repeated = outcome.exception
    return outcome

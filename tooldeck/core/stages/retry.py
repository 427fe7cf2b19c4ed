"""retry: another attempt for tools declared idempotent or read-only, after transient failures only.

Exponential backoff with full jitter, after M. Brooker, "Exponential Backoff And Jitter" (AWS, 2015).
"""

from __future__ import annotations

import random

from tooldeck.core.call import Outcome, Span, ToolCall
from tooldeck.core.events import RetryWaits
from tooldeck.core.hooks import objection
from tooldeck.core.settings import RetrySettings
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World

# Bound once: reading a member off its Enum costs 0.1 µs on Python 3.11, and this runs for every call.
_FAILED = Status.FAILED


def retry(next: Handler, tool: Tool, world: World) -> Handler:
    """Repeat what may be repeated; cannot act on other tools."""
    settings = tool.retry
    if not tool.repeatable or settings.attempts == 1:
        return next
    hooks = world.hooks.of("on_retry", tool)

    async def run(call: ToolCall) -> Outcome:
        left = settings.budget
        for attempt in range(1, settings.attempts):
            outcome = await next(call)
            if outcome.status is not _FAILED or not outcome.transient:
                return outcome
            pause = _pause(settings, attempt, outcome.retry_after)
            limit = min(left, settings.cap)
            if pause > limit:
                call.log.note(
                    "retry",
                    f"gave up after attempt {attempt}: the next needs a wait of {pause:.1f} s, "
                    f"and {limit:.1f} s are allowed",
                )
                return outcome
            report = RetryWaits(call, attempt, pause, outcome.error or "")
            stopped = await objection(hooks, report, world.host)
            if stopped is not None:
                call.log.note("retry", f"not tried again after attempt {attempt}: {stopped}")
                return outcome
            if world.emit is not None:
                world.emit(report)
            left -= pause
            call.log.decide("retry", f"attempt {attempt + 1} after {pause:.2f} s")
            await _wait(call, world, pause)
        return await next(call)

    return run


def _pause(settings: RetrySettings, attempt: int, retry_after: float | None) -> float:
    """Seconds before the next attempt; the exponent is bounded, so that no count can overflow."""
    ceiling = min(settings.cap, settings.base * 2.0 ** min(attempt - 1, 60))
    pause = random.uniform(0.0, ceiling)  # noqa: S311 - spreading load, not secrecy
    return max(pause, retry_after or 0.0)


async def _wait(call: ToolCall, world: World, seconds: float) -> None:
    start = world.host.now()
    await world.host.sleep(seconds)
    if call.log.spans is not None:
        begun = start - call.log.started
        call.log.spans.append(Span("wait", begun, world.host.now() - call.log.started, "", call.log.depth))

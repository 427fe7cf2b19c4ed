"""What happens to a call: the stages, outermost first, and how they are put together.

A stage is a function ``stage(next, tool, world) -> Handler``. It returns `next` itself where it cannot act on
the tool, so that an idle stage costs nothing. The stages up to and including `resolve` do not know the tool
yet and are composed once per deck; the others are composed once per tool, and again when something they
depend on changes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.call_log import Span
from tooldeck.core.stages.approve import approve
from tooldeck.core.stages.arguments import arguments
from tooldeck.core.stages.breaker import breaker, closed
from tooldeck.core.stages.checks import checked_again, checks
from tooldeck.core.stages.claim import claim
from tooldeck.core.stages.hooks import hooks
from tooldeck.core.stages.loop_guard import loop_guard, misses
from tooldeck.core.stages.narrow import narrow
from tooldeck.core.stages.offered import offered
from tooldeck.core.stages.present import present
from tooldeck.core.stages.rate_limit import in_turn, rate_limit
from tooldeck.core.stages.record import record
from tooldeck.core.stages.resolve import resolve
from tooldeck.core.stages.retry import retry
from tooldeck.core.stages.steer import steer
from tooldeck.core.stages.tape import tape
from tooldeck.core.stages.time_limit import call_limit, time_limit
from tooldeck.core.stages.wrap import wrap
from tooldeck.core.tool import Tool
from tooldeck.core.world import Handler, World

__all__ = ["PIPELINE", "Stage", "compose_for", "compose_outer"]

Stage = Callable[[Handler, Any, World], Handler]

PIPELINE: tuple[Stage, ...] = (
    record,
    present,
    misses,
    resolve,
    offered,
    steer,
    hooks,
    arguments,
    narrow,
    loop_guard,
    tape,
    checks,
    closed,
    in_turn,
    approve,
    checked_again,
    claim,
    breaker,
    call_limit,
    retry,
    rate_limit,
    time_limit,
    wrap,
)
_RESOLVED = PIPELINE.index(resolve) + 1
_NARROWED = PIPELINE.index(narrow) + 1


def compose_outer(world: World) -> Handler:
    """The stages that every call passes before its tool is known."""
    return _compose(PIPELINE[:_RESOLVED], None, world)


def compose_for(tool: Tool, world: World) -> Handler:
    """The stages that act on `tool`; for an action those that its tool has not passed already.

    `offered` looks at both: it may be the action alone that is switched off or not available.
    """
    if tool.action:
        return _compose((offered, *PIPELINE[_NARROWED:]), tool, world)
    return _compose(PIPELINE[_RESOLVED : _NARROWED if tool.actions else None], tool, world)


def _compose(stages: tuple[Stage, ...], tool: Tool | None, world: World) -> Handler:
    handler: Handler = _nothing_further
    for stage in reversed(stages):
        inner = handler
        handler = stage(inner, tool, world)
        if world.tracing and handler is not inner and stage is not record:
            handler = partial(_traced, stage.__name__, handler, world.host.now)
    return handler


async def _nothing_further(call: ToolCall) -> Outcome:
    raise AssertionError(f"the innermost stage passed on {call.id}")


async def _traced(name: str, handler: Handler, now: Callable[[], float], call: ToolCall) -> Outcome:
    """Note when a stage began and ended, and what it decided."""
    log = call.log
    start = now() - log.started
    depth = log.depth
    log.depth = depth + 1
    try:
        return await handler(call)
    finally:
        log.depth = depth
        if log.spans is not None:
            log.spans.append(Span(name, start, now() - log.started, log.decisions.get(name, ""), depth))

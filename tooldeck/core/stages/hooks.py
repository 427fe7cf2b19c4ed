"""hooks: functions of the user around every call. An answer that is not understood stops the call."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.hooks import Block, Rewrite, rewritten
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def hooks(next: Handler, tool: Tool, world: World) -> Handler:
    """Run `before_tool` hooks, the call, then `after_tool` hooks; cannot act while there are none."""
    before, after = world.hooks.before, world.hooks.after
    if not before and not after:
        return next

    async def run(call: ToolCall) -> Outcome:
        for hook in before:
            answer = await _answer(hook, call)
            if isinstance(answer, Rewrite):
                call = replace(call, raw=rewritten(answer.to))
                call.log.call = call
                call.log.note("hooks", f"{_name(hook)} rewrote the arguments")
            elif answer is not None:
                return _stopped(call, hook, answer)
        outcome = await next(call)
        for hook in after:
            answer = await _answer(hook, _result_of(call, outcome, world))
            if isinstance(answer, Rewrite):
                outcome = Outcome(Status.OK, answer.to)
                call.log.note("hooks", f"{_name(hook)} replaced the result")
        return outcome

    return run


async def _answer(hook: Any, about: Any) -> Any:
    answer = hook(about)
    return await answer if inspect.isawaitable(answer) else answer


def _stopped(call: ToolCall, hook: Any, answer: Any) -> Outcome:
    if isinstance(answer, Block):
        reason = answer.reason
    else:
        reason = f"it answered {answer!r}, which is neither None, Block nor Rewrite"
    call.log.decide("hooks", f"blocked by {_name(hook)}")
    return Outcome(Status.BLOCKED, error=f"{call.name} was blocked by the hook {_name(hook)}: {reason}.")


def _result_of(call: ToolCall, outcome: Outcome, world: World) -> ToolResult:
    log = call.log
    seconds = world.host.now() - log.started
    return ToolResult(
        outcome.status, outcome.value, "", outcome.error, tuple(log.notes), log.attempts, seconds,
        log.call or call, outcome.problems, outcome.exception,
    )  # fmt: skip


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", None) or type(hook).__name__

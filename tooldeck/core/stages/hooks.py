"""hooks: functions of the user around every call. An answer that is not understood stops the call."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.hooks import AfterTool, BeforeTool, Block, Rewrite
from tooldeck.core.host import Work
from tooldeck.core.result import ToolResult
from tooldeck.core.strangers import error_words, to_repr, to_text
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def hooks(next: Handler, tool: Tool, world: World) -> Handler:
    """Run `before_tool` hooks, the call, then `after_tool` hooks; cannot act while there are none."""
    before, after = world.hooks.before, world.hooks.after
    if not before and not after:
        return next

    async def run(call: ToolCall) -> Outcome:
        outcome: Outcome | None = None
        for hook in before:
            call, outcome = await _before(hook, call, world)
            if outcome is not None:
                break
        if outcome is None:
            outcome = await next(call)
        for hook in after:
            outcome = await _after(hook, call, outcome, world)
        return outcome

    return run


async def _before(hook: BeforeTool, call: ToolCall, world: World) -> tuple[ToolCall, Outcome | None]:
    """The call to go on with, and the outcome where the hook stops it."""
    answer = await _answer(hook, call, world)
    if answer is None:
        return call, None
    if not isinstance(answer, Rewrite):
        return call, _stopped(call, hook, answer)
    if not isinstance(answer.to, Mapping):
        return call, _stopped(
            call, hook, Block(f"it rewrote the arguments to {to_repr(answer.to)}, no mapping")
        )
    call = call.rewritten(answer.to)
    call.log.note("hooks", f"{_name(hook)} rewrote the arguments")
    return call, None


async def _after(hook: AfterTool, call: ToolCall, outcome: Outcome, world: World) -> Outcome:
    """The outcome to go on with. A hook that fails withholds the value, since it may be there to check it."""
    answer = await _answer(hook, _result_of(call, outcome, world), world)
    if answer is None:
        return outcome
    if not isinstance(answer, Rewrite):
        return _stopped(call, hook, answer)
    call.log.note("hooks", f"{_name(hook)} replaced the result")
    return Outcome(Status.OK, answer.to)


async def _answer(hook: Any, about: Any, world: World) -> Any:
    """What a hook says; one that raises blocks."""
    try:
        answer = hook(about)
        if inspect.isawaitable(answer):
            return await world.host.run(Work(lambda: answer, is_async=True, label=_name(hook)))
    except Exception as error:  # noqa: BLE001 - functions of the user may raise anything
        return Block(f"it raised {error_words(error)}")
    return answer


def _stopped(call: ToolCall, hook: Any, answer: Any) -> Outcome:
    if isinstance(answer, Block):
        reason = to_text(answer.reason)
    else:
        reason = f"it answered {to_repr(answer)}, which is neither None, Block nor Rewrite"
    call.log.decide("hooks", f"blocked by {_name(hook)}")
    what = "ran, but its result was withheld" if call.log.attempts else "was blocked"
    return Outcome(Status.BLOCKED, error=f"{call.name} {what} by the hook {_name(hook)}: {reason}.")


def _result_of(call: ToolCall, outcome: Outcome, world: World) -> ToolResult:
    """How the call ended so far; the text for models is made later."""
    log = call.log
    seconds = world.host.now() - log.started
    return ToolResult(
        outcome.status, outcome.value, "", outcome.error, tuple(log.notes), log.attempts, seconds,
        log.call or call, outcome.problems, outcome.exception, outcome.retry_after,
    )  # fmt: skip


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", None) or type(hook).__name__

"""hooks: functions of the user around every call. An answer that is not understood stops the call."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.collecting import outcome_of
from tooldeck.core.hooks import AfterTool, Ask, BeforeTool, Block, Rewrite, answer_of, hook_name, reason_of
from tooldeck.core.result import ToolResult
from tooldeck.core.strangers import to_repr, to_text
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World

_AT_FAULT = frozenset({Status.FAILED, Status.TIMEOUT})
"""The ends that `on_error` hooks see: the tool itself did not deliver."""


def hooks(next: Handler, tool: Tool, world: World) -> Handler:
    """Run the hooks that look at the tool around its call; cannot act where there are none."""
    before = world.hooks.of("before_tool", tool)
    on_error = world.hooks.of("on_error", tool)[::-1]
    after = world.hooks.of("after_tool", tool)[::-1]
    if not before and not on_error and not after:
        return next

    async def run(call: ToolCall) -> Outcome:
        outcome: Outcome | None = None
        for hook in before:
            call, outcome = await _before(hook, call, world)
            if outcome is not None:
                break
        if outcome is None:
            outcome = await next(call)
        for hook in on_error:
            if outcome.status in _AT_FAULT:
                outcome = await _after(hook, call, outcome, world)
        for hook in after:
            outcome = await _after(hook, call, outcome, world)
        return outcome

    return run


async def _before(hook: BeforeTool, call: ToolCall, world: World) -> tuple[ToolCall, Outcome | None]:
    """The call to go on with, and the outcome where the hook stops it."""
    answer = await answer_of(hook, _sealed(call), world.host)
    if answer is None:
        return call, None
    if isinstance(answer, Ask):
        reason = to_text(answer.reason)
        call.log.ask = f"the hook {hook_name(hook)} asks" + (f": {reason}" if reason else "")
        return call, None
    if not isinstance(answer, Rewrite):
        return call, _stopped(call, hook, answer, "Block, Rewrite or Ask")
    if not isinstance(answer.to, Mapping):
        odd = Block(f"it rewrote the arguments to {to_repr(answer.to)}, no mapping")
        return call, _stopped(call, hook, odd, "")
    call = call.rewritten(cast("Mapping[str, Any]", answer.to))
    call.log.note("hooks", f"{hook_name(hook)} rewrote the arguments")
    return call, None


async def _after(hook: AfterTool, call: ToolCall, outcome: Outcome, world: World) -> Outcome:
    """The outcome to go on with. A hook that fails withholds the value, since it may be there to check it."""
    answer = await answer_of(hook, _result_of(call, outcome, world), world.host)
    if answer is None:
        return outcome
    if not isinstance(answer, Rewrite):
        return _stopped(call, hook, answer, "Block or Rewrite")
    call.log.note("hooks", f"{hook_name(hook)} replaced the result")
    return outcome_of(answer.to)


def _sealed(call: ToolCall) -> ToolCall:
    """The call with arguments that a hook cannot change by the way; `Rewrite` is how to change them."""
    if not isinstance(call.raw, Mapping):
        return call
    try:
        own = copy.deepcopy(dict(call.raw))
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        own = dict(call.raw)
    return call._replace(raw=MappingProxyType(own))


def _stopped(call: ToolCall, hook: Any, answer: Any, known: str) -> Outcome:
    call.log.decide("hooks", f"blocked by {hook_name(hook)}")
    what = "ran, but its result was withheld" if call.log.attempts else "was blocked"
    reason = reason_of(answer, known)
    return Outcome(Status.BLOCKED, error=f"{call.name} {what} by the hook {hook_name(hook)}: {reason}.")


def _result_of(call: ToolCall, outcome: Outcome, world: World) -> ToolResult:
    """How the call ended so far; the text for models is made later."""
    log = call.log
    seconds = world.host.now() - log.started
    return ToolResult(
        outcome.status, outcome.value, "", outcome.error, tuple(log.notes), log.attempts, seconds,
        log.call or call, outcome.problems, outcome.exception, outcome.retry_after,
    )  # fmt: skip

"""checks: functions of the tool's author that look at the arguments, and at the value on the way out.

`checked_again` lies inside of the approval: arguments that a person edited pass the same functions, which
may no longer change them, since the person would not see it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, cast

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.checks import Check, verdict_of
from tooldeck.core.collecting import outcome_of
from tooldeck.core.hooks import Block, Rewrite, hook_name
from tooldeck.core.parameters import problems_text
from tooldeck.core.stages.approve import never_asks
from tooldeck.core.strangers import to_repr, to_text
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World

_OK = Status.OK


def checks(next: Handler, tool: Tool, world: World) -> Handler:
    """Let the checks of the input see the arguments, then those of the output the value."""
    before, after = tool.check_input, tool.check_output
    if not before and not after:
        return next

    async def run(call: ToolCall) -> Outcome:
        for check in before:
            passed = await _input(check, tool, call, world)
            if isinstance(passed, Outcome):
                return passed
            call = passed
        call.log.vetted = call.arguments
        outcome = await next(call)
        for check in after:
            if outcome.status is _OK:
                outcome = await _output(check, tool, call, outcome, world)
        return outcome

    return run


def checked_again(next: Handler, tool: Tool, world: World) -> Handler:
    """Look again at arguments that were edited since; cannot act where nobody is asked."""
    if not tool.check_input or (never_asks(tool, world) and not world.tracing):
        return next

    async def run(call: ToolCall) -> Outcome:
        if call.arguments is call.log.vetted:
            return await next(call)
        for check in tool.check_input:
            verdict = await verdict_of(check, _complete(tool, call), world.host)
            if verdict is not None:
                if isinstance(verdict, Rewrite):
                    verdict = Block("it would change arguments that were edited in the approval")
                return _refused(tool, call, check, verdict)
        return await next(call)

    return run


async def _input(check: Check, tool: Tool, call: ToolCall, world: World) -> ToolCall | Outcome:
    """The call to go on with, or why it does not."""
    verdict = await verdict_of(check, _complete(tool, call), world.host)
    if verdict is None:
        return call
    if isinstance(verdict, Block):
        return _refused(tool, call, check, verdict)
    if not isinstance(verdict.to, Mapping):
        return _refused(tool, call, check, Block(f"it put {to_repr(verdict.to)} in place of the arguments"))
    checked = tool.params.check(dict(cast("Mapping[str, Any]", verdict.to)))
    if checked.problems:
        said = f"{hook_name(check)} replaced the arguments; {problems_text(tool.name, checked.problems)}"
        return Outcome(Status.INVALID, error=said, problems=checked.problems)
    call.log.note("checks", f"{hook_name(check)} replaced the arguments")
    return call.checked(checked.arguments, checked.values)


async def _output(check: Check, tool: Tool, call: ToolCall, outcome: Outcome, world: World) -> Outcome:
    verdict = await verdict_of(check, outcome.value, world.host)
    if verdict is None:
        return outcome
    if isinstance(verdict, Block):
        return _refused(tool, call, check, verdict)
    call.log.note("checks", f"{hook_name(check)} replaced the result")
    return outcome_of(verdict.to)


def _refused(tool: Tool, call: ToolCall, check: Check, verdict: Block) -> Outcome:
    call.log.decide("checks", f"refused by {hook_name(check)}")
    what = "ran, but its result was withheld" if call.log.attempts else "was refused"
    reason = to_text(verdict.reason)
    return Outcome(Status.BLOCKED, error=f"{tool.name} {what} by the check {hook_name(check)}: {reason}.")


def _complete(tool: Tool, call: ToolCall) -> dict[str, Any]:
    """The arguments with the defaults of those left out; a copy, since `Rewrite` is how to change them."""
    described: Mapping[str, Any] = tool.parameters.get("properties", {})
    defaults = {
        name: one["default"]
        for name, one in described.items()
        if isinstance(one, Mapping) and "default" in one
    }
    given = {**defaults, **call.arguments}
    try:
        return copy.deepcopy(given)
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return given

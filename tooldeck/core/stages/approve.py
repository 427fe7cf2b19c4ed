"""approve: policy allows, denies or asks; a person sees only arguments that already passed the check."""

from __future__ import annotations

from tooldeck.core.approval import ApprovalRequest, Decision, Scope, Verdict, Word
from tooldeck.core.call import Outcome, ToolCall, new_id
from tooldeck.core.events import ApprovalAnswered, ApprovalAsked
from tooldeck.core.parameters import problems_text
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def never_asks(tool: Tool, world: World) -> bool:
    """Whether policy allows every call of `tool`, whatever its arguments."""
    verdict = world.policy.static(tool)
    return verdict is not None and verdict.word is Word.ALLOW


def approve(next: Handler, tool: Tool, world: World) -> Handler:
    """Let through what policy allows or somebody approves."""
    static = world.policy.static(tool)
    if never_asks(tool, world) and not world.tracing:
        return next

    async def run(call: ToolCall) -> Outcome:
        verdict = static or world.policy.decide(call)
        call.log.decide("approve", f"{_PAST[verdict.word]} by {verdict.rule}")
        if verdict.word is Word.ALLOW:
            return await next(call)
        if verdict.word is Word.DENY:
            return Outcome(Status.DENIED, error=f"{tool.name} is denied by the rule {verdict.rule}.")
        grant = world.policy.granted(call)
        if grant is not None:
            call.log.decide("approve", f"granted: {grant}")
            return await next(call)
        return await _asked(next, tool, world, call, verdict)

    return run


_PAST = {Word.ALLOW: "allowed", Word.ASK: "asked", Word.DENY: "denied"}


async def _asked(next: Handler, tool: Tool, world: World, call: ToolCall, verdict: Verdict) -> Outcome:
    request = ApprovalRequest(new_id(), tool, call, verdict.rule, tool.params.check, world.approval_timeout)
    if world.emit is not None:
        world.emit(ApprovalAsked(request))
    decision = await world.ask(world.host, request)
    if not isinstance(decision, Decision):
        decision = Decision(
            False, by="nobody", note=f"the approver answered {decision!r}, which is no Decision"
        )
    if world.emit is not None:
        world.emit(ApprovalAnswered(request, decision))
    if decision.approved is not True:
        call.log.decide("approve", f"denied by {decision.by}")
        return Outcome(Status.DENIED, error=_refusal(tool, decision))
    if decision.arguments is not None:
        checked = tool.params.check(decision.arguments)
        if checked.problems:
            return Outcome(
                Status.INVALID, error=problems_text(tool.name, checked.problems), problems=checked.problems
            )
        call = call.checked(checked.arguments, checked.values)
        call.log.note("approve", f"{decision.by} edited the arguments")
    if decision.scope is not Scope.ONCE:
        world.policy.grant(call, decision.scope)
    call.log.decide("approve", f"approved by {decision.by}")
    return await next(call)


def _refusal(tool: Tool, decision: Decision) -> str:
    who = {"nobody": "nobody could be asked", "time-out": "nobody answered in time"}.get(decision.by)
    head = f"{tool.name} needs approval and {who}" if who else f"{tool.name} was refused by {decision.by}"
    return f"{head}: {decision.note}" if decision.note else f"{head}."

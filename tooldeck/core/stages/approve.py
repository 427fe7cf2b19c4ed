"""approve: policy allows, denies or asks; a person sees only arguments that already passed the check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tooldeck.core.approval import ApprovalRequest, Decision, Scope, Verdict, Word
from tooldeck.core.arguments import read_arguments
from tooldeck.core.call import Outcome, ToolCall, new_id
from tooldeck.core.current import CURRENT
from tooldeck.core.deadline import clocks_stopped
from tooldeck.core.events import ApprovalAnswered, ApprovalAsked, PreviewStarted
from tooldeck.core.hooks import objection
from tooldeck.core.host import Host
from tooldeck.core.owned import owned
from tooldeck.core.parameters import problems_text
from tooldeck.core.preview import NoPreview, preview_of
from tooldeck.core.stages.steer import given_up
from tooldeck.core.strangers import error_words, to_repr, to_text
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def never_asks(tool: Tool, world: World) -> bool:
    """Whether every call of `tool` goes on unasked, whatever its arguments.

    Not where a hook may want a question, nor where hooks or checks may take so long that policy changes.
    """
    verdict = world.policy.static(tool)
    allowed = verdict is not None and verdict.word is Word.ALLOW
    return allowed and not tool.check_input and not world.hooks.of("before_tool", tool)


def approve(next: Handler, tool: Tool, world: World) -> Handler:
    """Let through what policy allows or somebody approves."""
    if never_asks(tool, world) and not world.tracing:
        return next

    async def run(call: ToolCall) -> Outcome:
        policy = world.present_policy()
        verdict = policy.static(tool)
        if verdict is None or verdict.word is not Word.ALLOW or call.log.ask:
            call = _own(call)
            verdict = policy.decide(call)
        if verdict.word is Word.ALLOW and call.log.ask:
            verdict = Verdict(Word.ASK, call.log.ask)
        call.log.decide("approve", f"{_PAST[verdict.word]} by {verdict.rule}")
        if verdict.word is Word.ALLOW:
            return await next(call)
        if verdict.word is Word.DENY:
            return denied(tool, verdict)
        grant = None if call.log.ask else policy.granted(call)
        if grant is not None:
            call.log.decide("approve", f"granted: {grant}")
            return await next(call)
        approved = await _asked(tool, world, call, verdict)
        return approved if isinstance(approved, Outcome) else await next(approved)

    return run


_PAST = {Word.ALLOW: "allowed", Word.ASK: "asked", Word.DENY: "denied"}


def _own(call: ToolCall) -> ToolCall:
    """The call with arguments that its caller cannot change any more, for rules and people to judge."""
    arguments = owned(call.arguments)
    if call.log.vetted is call.arguments:
        call.log.vetted = arguments
    return call.checked(arguments, owned(call.values))


async def _asked(tool: Tool, world: World, call: ToolCall, verdict: Verdict) -> ToolCall | Outcome:
    """The call as it was approved, or the refusal."""
    if tool.preview is not None and world.emit is not None:
        world.emit(PreviewStarted(call))
    try:
        preview = await _foreseen(tool, world, world.host, call)
    except NoPreview as missing:
        return _unforeseen(tool, call, missing)
    request = _request(tool, world, call, verdict, preview)
    if world.emit is not None:
        world.emit(ApprovalAsked(request))
    # The clocks of the calls whose bodies wait for this one, and of its run.
    with clocks_stopped(CURRENT.get(), call.caller.run):
        decision = await _answer(world, request)
    if world.emit is not None:
        world.emit(ApprovalAnswered(request, decision))
    answered = _followed(tool, world, call, decision)
    if isinstance(answered, ToolCall) and tool.preview_within is not None:
        answered = await _as_shown(tool, world, answered, preview if decision.arguments is None else None)
    run = call.caller.run
    if (
        decision.stop is not False and run is not None
    ):  # last, since an approved call may be the run's last one
        run.stop(f"{to_text(decision.by)} stopped the run")
    return answered


def _request(
    tool: Tool, world: World, call: ToolCall, verdict: Verdict, preview: str | None
) -> ApprovalRequest:
    """The question."""

    async def foresee(host: Host, given: Mapping[str, Any]) -> str | None:
        try:
            meant = call._replace(values=tool.params.check(given).values)
            return await _foreseen(tool, world, host, meant)
        except NoPreview as missing:
            return f"no preview, so this would not be run: {missing}"

    shown = call._replace(arguments=owned(call.arguments), values=owned(call.values))
    return ApprovalRequest(
        new_id(), tool, shown, verdict.rule, tool.params.check, world.approval_timeout,
        preview, world.present_policy().scopes, None if tool.preview is None else foresee,
        world.present_policy().trust_of(tool),
    )  # fmt: skip


async def _foreseen(tool: Tool, world: World, host: Host, meant: ToolCall) -> str | None:
    """The preview of a call; raises `NoPreview` where there must be one."""
    return await preview_of(tool, host, meant, lambda needs: world.services.fill(needs, meant, world))


async def _as_shown(tool: Tool, world: World, call: ToolCall, preview: str | None) -> ToolCall | Outcome:
    """The approved call, where it would still change what the `preview` showed; None: of edited arguments."""
    try:
        now = await _foreseen(tool, world, world.host, call)
    except NoPreview as missing:
        return _unforeseen(tool, call, missing)
    if preview is None or now == preview:
        return call
    call.log.decide("approve", "what it would change is something else by now")
    said = f"{tool.label} would change something else by now than what was approved; call it again."
    return Outcome(Status.DENIED, error=said)


def _unforeseen(tool: Tool, call: ToolCall, missing: NoPreview) -> Outcome:
    """How a call ends that nobody shall approve, since what it would change is not known."""
    call.log.decide("approve", f"not asked: no preview, {missing}")
    said = f"{tool.label} needs approval, and nobody can judge it without a preview: {missing}"
    return Outcome(Status.DENIED, error=said if said.endswith(".") else f"{said}.")


def _followed(tool: Tool, world: World, call: ToolCall, decision: Decision) -> ToolCall | Outcome:
    """What follows from a decision for the call itself."""
    if decision.approved is not True:
        call.log.decide("approve", f"denied by {decision.by}")
        stops = decision.stop is not False and call.caller.run is not None
        return Outcome(Status.DENIED, error=_refusal(tool, decision, stops=stops))
    meant = _edited(tool, call, decision)
    if isinstance(meant, Outcome):
        return meant
    return _too_late(tool, world, meant) or _approved(world, meant, decision)


def _approved(world: World, call: ToolCall, decision: Decision) -> ToolCall:
    call.log.decide("approve", f"approved by {decision.by}")
    if decision.scope is not Scope.ONCE and not world.present_policy().grant(call, decision.scope):
        call.log.note("approve", "the approval could not be kept, so it holds for this session only")
    return call


def _too_late(tool: Tool, world: World, call: ToolCall) -> Outcome | None:
    """Why an approved call is not run after all: what it was approved for has changed meanwhile."""
    found = world.find(call)
    if isinstance(found, Tool) and tool.action:
        found = found.actions.get(tool.action)
    if found is not tool:
        gone = "replaced by another tool" if isinstance(found, Tool) else "removed"
        call.log.decide("approve", f"{gone} while the question was open")
        said = f"{tool.label} was {gone} while the question was open; what was approved is not run."
        return Outcome(Status.DENIED, error=said)
    closed = world.gates.why_not(tool)
    if closed is not None:
        call.log.decide("approve", f"{closed}, since the question was asked")
        return Outcome(Status.DENIED, error=f"{tool.label} cannot be used any more: {closed}.")
    # Asked anew: a rule may have come meanwhile, and another one may look at what was edited.
    later = world.present_policy().decide(call)
    if later.word is Word.DENY:
        call.log.decide("approve", f"denied by {later.rule}")
        return denied(tool, later)
    reason = call.caller.run.stopped if call.caller.run is not None else None
    reason = reason or given_up(call)
    if reason is not None:
        return Outcome(Status.CANCELLED, error=f"{tool.label} was approved but not started: {reason}.")
    return None


async def _answer(world: World, request: ApprovalRequest) -> Decision:
    """The decision; an approver that fails or says anything else has not approved."""
    refused = await objection(world.hooks.of("on_approval", request.tool), request, world.host)
    if refused is not None:
        return Decision(False, by="a hook", note=refused)
    try:
        decision: Any = await world.ask(world.host, request)
    except Exception as error:  # noqa: BLE001 - functions of the user may raise anything
        return Decision(False, by="nobody", note=f"the approver raised {error_words(error)}")
    if isinstance(decision, Decision):
        return decision
    return Decision(
        False, by="nobody", note=f"the approver answered {to_repr(decision)}, which is no Decision"
    )


def _edited(tool: Tool, call: ToolCall, decision: Decision) -> ToolCall | Outcome:
    """The call with the arguments as a person edited them, checked like any others."""
    if decision.arguments is None:
        return call
    given, _, problems = read_arguments(decision.arguments)
    if not problems:
        checked = tool.params.check(given)
        if not checked.problems:
            call.log.notes += checked.notes
            call.log.note("approve", f"{decision.by} edited the arguments")
            return call.checked(checked.arguments, checked.values)
        problems = checked.problems
    message = f"the arguments were edited; {problems_text(tool.name, problems)}"
    return Outcome(Status.INVALID, error=message, problems=problems)


def denied(tool: Tool, verdict: Verdict) -> Outcome:
    """How a call ends that a rule denies."""
    return Outcome(Status.DENIED, error=f"{tool.label} is denied by the rule {verdict.rule}.")


def _refusal(tool: Tool, decision: Decision, *, stops: bool) -> str:
    by, note = to_text(decision.by), to_text(decision.note)
    who = {"nobody": "nobody could be asked", "time-out": "nobody answered in time"}.get(by)
    head = f"{tool.label} needs approval and {who}" if who else f"{tool.label} was refused by {by}"
    said = f"{head}: {note}" if note else f"{head}."
    return f"{said} The run was stopped; call no further tools." if stops else said

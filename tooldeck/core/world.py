"""Everything the stages need, gathered by the deck: the only way by which they reach the outside."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tooldeck.core.approval import ApprovalRequest, Decision, Provenance, Scope, Verdict
from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.circuits import Circuits
from tooldeck.core.host import Host
from tooldeck.core.rate import Rates
from tooldeck.core.settings import LoopSettings
from tooldeck.core.tool import Tool

if TYPE_CHECKING:
    from tooldeck.core.events import Event
    from tooldeck.core.gates import Gates
    from tooldeck.core.hooks import Hooks
    from tooldeck.core.result import ToolResult
    from tooldeck.core.services import Services

__all__ = ["Handler", "PolicyView", "Tape", "World", "ended"]

Handler = Callable[[ToolCall], Coroutine[Any, Any, Outcome]]
"""A stage with everything inside of it: takes a call, hands its outcome outward.

An async function, or, where a stage has nothing to do on the way out, a plain one that returns what the next
stage returned: a coroutine less per call.
"""


async def ended(outcome: Outcome) -> Outcome:
    """What a plain handler returns for a call that goes no further."""
    return outcome


class PolicyView(Protocol):
    """What the stages ask of a policy."""

    def static(self, tool: Tool, /) -> Verdict | None:
        """The verdict on every call of `tool`, or None when it depends on the call."""
        ...

    def decide(self, call: ToolCall, /) -> Verdict:
        """The verdict on one call whose arguments passed the check."""
        ...

    def trust_of(self, tool: Tool, /) -> Provenance:
        """Whether the output of `tool` is trusted."""
        ...

    def granted(self, call: ToolCall, /) -> str | None:
        """The earlier approval that covers the call, in words, or None."""
        ...

    def grant(self, call: ToolCall, scope: Scope, /) -> bool:
        """Remember an approval beyond this one call; False when it reaches less far than was asked for."""
        ...

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """How far an approval can reach."""
        ...


class Tape(Protocol):
    """What the tape stage asks of a recording."""

    playing: bool
    """Whether it gives results, and takes none."""

    def keep(self, tool: Tool, call: ToolCall, outcome: Outcome, /) -> None:
        """Record how a call ended; never raises."""
        ...

    def play(self, tool: Tool, call: ToolCall, /) -> Outcome:
        """How the call ended when it was recorded, or a refusal."""
        ...


@dataclass(frozen=True, slots=True)
class World:
    """The services of one deck for one kind of host."""

    host: Host
    find: Callable[[ToolCall], Tool | Outcome]
    """The tool a call means, or why there is none."""
    chain: Callable[[Tool], Handler]
    """The composed stages of a tool."""
    policy: PolicyView
    present_policy: Callable[[], PolicyView]
    """The deck's policy of this moment, which is another one when it was set while a question was open."""
    ask: Callable[[Host, ApprovalRequest], Awaitable[Decision]]
    """Asks the deck's approvers, then whoever sits at the host."""
    fence: Callable[[str, str], str]
    """Marks outside text for a model: the text and where it comes from."""
    circuits: Circuits
    """The breakers."""
    rates: Rates
    """The limits on how often tools are called."""
    services: Services
    """Fills the parameters that the deck fills."""
    hooks: Hooks
    gates: Gates
    """Say whether a tool is there at all."""
    tape: Tape | None
    """The recording or replay that is going on."""
    emit: Callable[[Event], None] | None
    """Tells the observers; None while there are none."""
    keep: Callable[[ToolResult], None]
    """Puts an end into the history."""
    weigh: Callable[[str, int], None]
    """Tells the history that the call of this id holds so many characters."""
    tracing: bool = False
    """Whether stages note their times and decisions."""
    away: bool = False
    """Whether bodies never run on the caller, because that is the loop of a server."""
    in_run: bool = False
    """Whether the call belongs to a run, so that loop guard and steering can act."""
    loop_guard: LoopSettings = field(default_factory=LoopSettings)
    """When repetitions are refused in runs that do not say it themselves."""
    ignore_unknown: bool = False
    """Whether arguments that no parameter has are left out where the tool does not say."""
    approval_timeout: float | None = None
    """Seconds after which an unanswered approval counts as refused; None waits for ever."""

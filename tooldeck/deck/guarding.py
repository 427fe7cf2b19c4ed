"""The part of a deck about what keeps a call from running: rules, questions to people, breakers."""

from __future__ import annotations

from collections.abc import Mapping

from tooldeck.core.approval import ApprovalRequest, Approver, Decision
from tooldeck.core.asking import answered, ask_in_turn
from tooldeck.core.breaker import Breaker, BreakerState
from tooldeck.core.circuits import Circuits
from tooldeck.core.errors import DefinitionError
from tooldeck.core.events import BreakerMoved
from tooldeck.core.host import Host
from tooldeck.core.lines import Lines
from tooldeck.core.observers import Observers
from tooldeck.core.questions import Answer, Answerer, AskPerson, Question
from tooldeck.core.tool import Tool
from tooldeck.guards.paths import Workspace
from tooldeck.policy import Policy
from tooldeck.registry.toolset import ToolSet
from tooldeck.store.kept import Journal

__all__ = ["Guarded"]


class Guarded(ToolSet):
    """The methods of a deck about guards."""

    _approval_timeout: float | None
    _ask_person: AskPerson
    _circuits: Circuits
    _journal: Journal
    _lines: Lines
    _observers: Observers
    _policy: Policy
    _workspace: Workspace
    approvers: list[Approver]
    """Are asked before the person at the host, in this order."""
    answerer: Answerer | None
    """Is given the questions of servers and models before the person is."""

    @property
    def policy(self) -> Policy:
        """Who may run what; set it to a `Policy` or to the name of a preset."""
        return self._policy

    @policy.setter
    def policy(self, policy: str | Policy) -> None:
        if not isinstance(policy, str | Policy):
            raise DefinitionError(f"policy must be the name of a preset or a Policy, got {policy!r}.")
        self._policy = Policy(policy) if isinstance(policy, str) else policy
        if self._policy.store is None:
            self._policy.store = self._journal.grants
        self._policy.work_in(self._workspace.folder)
        self._policy.watch(self._lines.renew)
        self._lines.renew()

    async def _ask(self, host: Host, request: ApprovalRequest) -> Decision:
        return await ask_in_turn(self.approvers, host, request)

    async def ask_person(self, question: Question) -> Answer:
        """What the person says to a question of a server or a model; never waits where nobody is there.

        The deck's `answerer` may say it first. May be awaited on any loop.
        """
        return await answered(question, self.answerer, self._ask_person)

    def breaker(self, name: str, target: str | None = None) -> Breaker:
        """The breaker of a tool, or of one of its targets: its state, recent outcomes and `reset`.

        The target of an MCP tool is its server. Raises `DefinitionError` for a target that was never called.
        """
        return self._circuits.named(self[name], target)

    def breaker_targets(self, name: str) -> Mapping[str, Breaker]:
        """The breakers of a tool's targets and of its server, by name, as far as calls needed them."""
        return self._circuits.targets(self[name])

    def _moved(self, tool: Tool, state: BreakerState, target: str) -> None:
        self._observers.tell(BreakerMoved(tool, state, target))

    @property
    def approval_timeout(self) -> float | None:
        """Seconds after which an unanswered approval counts as refused; None waits for ever."""
        return self._approval_timeout

    @approval_timeout.setter
    def approval_timeout(self, seconds: float | None) -> None:
        if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
            raise DefinitionError(f"approval_timeout must be seconds above 0 or None, got {seconds!r}.")
        self._approval_timeout = seconds
        self._lines.renew()

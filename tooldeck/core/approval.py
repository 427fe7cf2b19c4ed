"""Asking whether a call may run: the request, the decision, the verdict of a policy, and kept approvals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tooldeck.core.call import ToolCall
from tooldeck.core.parameters import Checked
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Trust, read_word

if TYPE_CHECKING:
    from tooldeck.core.host import Host

__all__ = [
    "ApprovalRequest",
    "Approver",
    "Decision",
    "GrantStore",
    "KeptGrant",
    "Provenance",
    "Scope",
    "Verdict",
    "Word",
]


class Word(StrEnum):
    """What a policy says of a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A policy's word and the rule it follows from."""

    word: Word
    rule: str = ""
    """The rule that decided, in words a person understands."""


class Provenance(NamedTuple):
    """Whether the output of a tool is trusted, all things considered."""

    trust: Trust
    rule: str = ""
    """The rule of the policy that says so; empty where that follows from the tool itself."""


class Scope(StrEnum):
    """How far an approval reaches."""

    ONCE = "once"
    """This call only."""
    EXACT = "exact"
    """Calls of this tool with exactly these arguments, for as long as the deck lives."""
    SESSION = "session"
    """Every call of this tool, for as long as the deck lives."""
    ALWAYS = "always"
    """Every call of this tool, in later sessions as well, until it is revoked or the tool is another one."""


@dataclass(frozen=True, slots=True)
class KeptGrant:
    """An approval that outlives the session: all of it is text, so that any store can hold it."""

    tool: str
    """The tool's name, and after a space that of the action where it has actions."""
    origin: str
    """Where the tool came from, as ``str(tool.origin)``."""
    fingerprint: str
    """What the tool was made of when it was approved; a changed tool has another one and asks again."""


class GrantStore(Protocol):
    """Where approvals are kept for later sessions. Several kernels may share one.

    `Policy` takes whatever a method raises for "not kept": the call asks.
    """

    def load(self) -> list[KeptGrant]:
        """All that is kept now."""
        ...

    def save(self, grant: KeptGrant, /) -> None:
        """Keep one more; one that is kept already stays kept once."""
        ...

    def drop(self, grant: KeptGrant, /) -> None:
        """Keep it no longer; nothing happens when it was not kept."""
        ...


BRIEF_SCOPES = (Scope.ONCE, Scope.EXACT, Scope.SESSION)
"""The scopes that need no store."""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """The question whether a call may run, as put to a person."""

    id: str
    """Unique; an answer must carry it."""
    tool: Tool
    call: ToolCall
    """The call with its checked arguments."""
    rule: str
    """Why somebody is asked."""
    check: Callable[[Mapping[str, Any]], Checked] = field(
        repr=False, default=lambda given: Checked({}, given)
    )
    """Checks edited arguments without running anything, so that a card can show misfits at once."""
    timeout: float | None = None
    """Seconds after which silence means no; None waits for ever."""
    preview: str | None = None
    """What the call would change, as text or as a unified diff; None where the tool shows none."""
    scopes: tuple[Scope, ...] = BRIEF_SCOPES
    """How far an approval may reach here."""
    foresee: Callable[[Host, Mapping[str, Any]], Awaitable[str | None]] | None = field(
        repr=False, default=None
    )
    """Makes the preview anew for edited arguments that passed `check`; None where the tool shows none."""
    provenance: Provenance | None = None
    """Whether the policy trusts what the tool will say; None: as the tool is declared."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to an `ApprovalRequest`."""

    approved: bool
    arguments: Mapping[str, Any] | None = None
    """Arguments as edited by the person, checked again before they are used; None: as asked."""
    scope: Scope = Scope.ONCE
    note: str = ""
    """Why; a model is told."""
    by: str = "you"
    """Who decided: ``you``, ``nobody``, ``time-out``, the name of a function."""
    stop: bool = False
    """Whether the run that the call belongs to ends here: its next calls are cancelled."""

    def __post_init__(self) -> None:
        """Read the scope, so that a word in place of a `Scope` never reaches further than it says."""
        object.__setattr__(self, "scope", read_word(Scope, self.scope, "scope") or Scope.ONCE)


Approver = Callable[[ApprovalRequest], "Awaitable[Decision | None] | Decision | None"]
"""A function, plain or async, that answers a request, or returns None to pass it on to the next."""

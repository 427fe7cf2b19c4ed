"""How a model's run ended: one frozen record with the conversation, the calls and what was used."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from tooldeck.core.actions.records import Action
from tooldeck.core.errors import RunError
from tooldeck.core.messages import Message, ToolAnswer, ToolRequest, Usage
from tooldeck.core.result import ToolResult
from tooldeck.core.strangers import quoted

if TYPE_CHECKING:
    from tooldeck.core.run import Run

__all__ = ["Round", "RunResult", "RunStatus", "Step"]


class RunStatus(StrEnum):
    """How a run ended."""

    DONE = "done"
    """The model gave its answer."""
    STOPPED = "stopped"
    """A person, a hook or a decision stopped it."""
    LOOPING = "looping"
    """It repeated calls without progress."""
    LIMIT = "limit"
    """A limit of the run, or of the model's output, was reached."""
    FAILED = "failed"
    """The model could not be reached or understood, or declined."""
    CANCELLED = "cancelled"
    """An interrupt or a cancellation ended it from outside."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call that the model asked for, and what became of it."""

    round: int
    """The reply that asked for it, counted from 1."""
    request: ToolRequest
    result: ToolResult | None
    """How the call ended; None where it was never made, such as one that was cut off."""
    answer: ToolAnswer
    """What the model is told."""
    action: Action | None = None
    """How it was written, where it was written as text."""


@dataclass(frozen=True, slots=True)
class Round:
    """One reply of the model, and what it took."""

    number: int
    """Counted from 1."""
    start: float
    """Seconds after the start of the run at which it was asked for."""
    seconds: float
    usage: Usage
    model: str
    """Which model answered, in the provider's words; empty where it does not tell."""
    notes: tuple[str, ...] = ()
    """How the reply was read, where it was not taken as it came, such as an observation left out."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The end of a run."""

    status: RunStatus
    text: str
    """The answer; what the model wrote last where there is none."""
    reason: str
    """Why the run ended, in words; empty when it is ``done``."""
    messages: tuple[Message, ...]
    """The whole conversation, ready to go on with: every call in it is answered."""
    calls: tuple[Step, ...]
    usage: Usage
    rounds: int
    """Replies of the model."""
    seconds: float
    run: Run
    exception: BaseException | None = field(default=None, repr=False)
    """What the model raised, when it raised something."""
    replies: tuple[Round, ...] = ()
    """Its replies one by one."""
    started: float = 0.0
    """Monotonic seconds at its start, as those of its calls are counted."""
    inner: Usage = field(default_factory=Usage)
    """What models used within its calls: in runs of theirs, and for tools and servers that wanted a reply. It
    counts against the limits, and is not in `usage`."""

    @property
    def ok(self) -> bool:
        """Whether the model gave its answer."""
        return self.status is RunStatus.DONE

    def unwrap(self) -> str:
        """The answer of a run that is ``done``; else raises what the model raised, or `RunError`."""
        if self.ok:
            return self.text
        if self.exception is not None:
            raise self.exception
        raise RunError(f"The run ended as {self.status}: {self.reason}", self)

    def __repr__(self) -> str:
        calls = f"{len(self.calls)} call{'' if len(self.calls) == 1 else 's'}"
        rounds = f"{self.rounds} round{'' if self.rounds == 1 else 's'}"
        said = self.text if self.ok else self.reason
        shown = quoted(said if len(said) <= 200 else f"{said[:199]}…")
        spent = (self.usage + self.inner).cost
        cost = "" if spent is None else f", cost {spent:.4g}"
        within = f" and {self.inner.total} in calls" if self.inner.total else ""
        tokens = f"{self.usage.total} tokens{within}"
        return f"<RunResult {self.status}, {rounds}, {calls}, {tokens}{cost}: {shown}>"

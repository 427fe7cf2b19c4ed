"""What observers are told: frozen records, in the order in which things happen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.breaker import BreakerState
from tooldeck.core.call import ToolCall
from tooldeck.core.messages import ModelReply, Usage
from tooldeck.core.result import ToolResult
from tooldeck.core.run import Run
from tooldeck.core.run_result import RunResult
from tooldeck.core.tool import Tool

__all__ = [
    "ApprovalAnswered",
    "ApprovalAsked",
    "AttemptStarted",
    "BreakerMoved",
    "CallEnded",
    "CallStarted",
    "Event",
    "ModelAsked",
    "ModelReplied",
    "ModelSpoke",
    "PersonSpoke",
    "PreviewStarted",
    "Progressed",
    "ReplyNoted",
    "RetryWaits",
    "RunEnded",
    "RunStarted",
    "Streamed",
    "ToolAdded",
    "ToolRemoved",
]


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call enters the pipeline."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call has left the pipeline; every `CallStarted` is followed by exactly one of these."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    """The body is started; attempts count from 1."""

    call: ToolCall
    attempt: int


@dataclass(frozen=True, slots=True)
class RetryWaits:
    """An attempt failed and the next one waits."""

    call: ToolCall
    attempt: int
    """The attempt that failed, counted from 1."""
    seconds: float
    """How long the next one waits."""
    error: str
    """What went wrong."""


@dataclass(frozen=True, slots=True)
class Progressed:
    """A body says how far it is; told at most twenty times a second, the last report always."""

    call: ToolCall
    done: float
    total: float | None = None
    """None where the end is not known."""
    text: str = ""
    """What it is doing, in a few words."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """A body that gives its items one after the other has given one; the call's value is the list of all."""

    call: ToolCall
    index: int
    """How many items of this attempt came before."""
    item: Any
    """The item itself, neither cut nor fenced."""


@dataclass(frozen=True, slots=True)
class PreviewStarted:
    """It is found out what a call would change, before anybody is asked; that may take seconds."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """Somebody is asked whether a call may run."""

    request: ApprovalRequest


@dataclass(frozen=True, slots=True)
class ApprovalAnswered:
    """The question was answered, by a person, a function or a time-out."""

    request: ApprovalRequest
    decision: Decision


@dataclass(frozen=True, slots=True)
class BreakerMoved:
    """The state of a tool's breaker changed."""

    tool: Tool
    state: BreakerState
    target: str = ""
    """The target or server whose breaker it is; empty for the tool's own."""


@dataclass(frozen=True, slots=True)
class ToolAdded:
    """A tool is new in the deck, or took the place of `replaced`."""

    tool: Tool
    replaced: Tool | None = None


@dataclass(frozen=True, slots=True)
class ToolRemoved:
    """A tool left the deck."""

    tool: Tool


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A model is given something to do."""

    run: Run
    prompt: str


@dataclass(frozen=True, slots=True)
class ModelAsked:
    """A model is asked for a reply; `ModelReplied` follows, or the end of the run."""

    run: Run
    round: int
    """The reply, counted from 1."""
    model: str
    provider: str
    """Who makes it, in the words of OpenTelemetry; empty where it does not say."""
    server: str
    """The address where it is asked; empty where it is none of a server."""


@dataclass(frozen=True, slots=True)
class ModelSpoke:
    """A model that streams has written a piece of its reply; told on the thread that reads it."""

    run: Run
    round: int
    """The reply, counted from 1."""
    text: str
    afresh: bool = False
    """Whether the reply broke off and begins anew, so that what was told of it before does not count."""


@dataclass(frozen=True, slots=True)
class ModelReplied:
    """A reply of a model is complete; the calls it asks for come next."""

    run: Run
    round: int
    reply: ModelReply
    seconds: float = 0.0
    """How long it took."""
    spent: Usage = field(default_factory=Usage)
    """What the run has used so far."""


@dataclass(frozen=True, slots=True)
class ReplyNoted:
    """Something about a reply that a person should know: what was left out of it, a call that is not made."""

    run: Run
    round: int
    text: str


@dataclass(frozen=True, slots=True)
class PersonSpoke:
    """What a person said to a run under way is in its conversation now."""

    run: Run
    text: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """A run is over; every `RunStarted` is followed by exactly one of these."""

    result: RunResult


Event = (
    CallStarted
    | CallEnded
    | AttemptStarted
    | RetryWaits
    | Progressed
    | Streamed
    | PreviewStarted
    | ApprovalAsked
    | ApprovalAnswered
    | BreakerMoved
    | ToolAdded
    | ToolRemoved
    | RunStarted
    | ModelAsked
    | ModelSpoke
    | ModelReplied
    | ReplyNoted
    | PersonSpoke
    | RunEnded
)

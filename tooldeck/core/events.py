"""What observers are told: frozen records, in the order in which things happen."""

from __future__ import annotations

from dataclasses import dataclass

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.breaker import BreakerState
from tooldeck.core.call import ToolCall
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool

__all__ = [
    "ApprovalAnswered",
    "ApprovalAsked",
    "AttemptStarted",
    "BreakerMoved",
    "CallEnded",
    "CallStarted",
    "Event",
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


@dataclass(frozen=True, slots=True)
class ToolAdded:
    """A tool is new in the deck, or took the place of `replaced`."""

    tool: Tool
    replaced: Tool | None = None


@dataclass(frozen=True, slots=True)
class ToolRemoved:
    """A tool left the deck."""

    tool: Tool


Event = (
    CallStarted
    | CallEnded
    | AttemptStarted
    | ApprovalAsked
    | ApprovalAnswered
    | BreakerMoved
    | ToolAdded
    | ToolRemoved
)

"""The two manners in which a model calls tools: by its provider's native calls, or by lines of text.

A manner says what a model is told beforehand, reads each reply into a turn, and writes the ends of calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tooldeck.core.actions.records import Action
from tooldeck.core.messages import Message, ModelReply, ReplyEnd, ToolRequest
from tooldeck.core.run_result import RunStatus, Step
from tooldeck.core.settings import LoopSettings
from tooldeck.core.tool import Tool
from tooldeck.loops.limits import RunLimits
from tooldeck.loops.requests import CUT_OFF, in_order

__all__ = ["OUTPUT_LIMIT", "Manner", "Native", "Turn"]

OUTPUT_LIMIT = "the reply reached the model's output limit"


@dataclass(frozen=True, slots=True)
class Turn:
    """A reply, understood."""

    message: Message
    """The reply as it belongs into the conversation."""
    requests: tuple[ToolRequest, ...] = ()
    """The calls to make, in order."""
    held: Mapping[int, str] = field(default_factory=dict[int, str])
    """Those among them, by position, that must not be run, and why."""
    actions: tuple[Action | None, ...] = ()
    """How each was written, where it was written as text."""
    answer: str = ""
    """What the model says at the end; holds when there are no calls and no trouble."""
    trouble: Message | None = None
    """What to tell a model whose reply cannot be understood."""
    why: str = ""
    """What the trouble is, for a person."""
    notes: tuple[str, ...] = ()
    """How the reply was read, where it was not taken as it came."""
    end: RunStatus | None = None
    """How the run ends by this reply alone, without calls; `why` says why. None: by the answer."""


class Manner(Protocol):
    """How a model calls tools."""

    @property
    def limits(self) -> RunLimits:
        """The limits of a run that brings none."""
        ...

    @property
    def loop_guard(self) -> LoopSettings | None:
        """When repetitions are refused in a run that does not say it; None leaves that to the deck."""
        ...

    @property
    def kept(self) -> Any:
        """What a store needs to go on in the same manner, as plain JSON."""
        ...

    def offered(self, tools: Sequence[Tool], /) -> Sequence[Tool]:
        """The tools that the model is given natively."""
        ...

    def told(self, tools: Sequence[Tool], /) -> str:
        """What the model has to be told beforehand; may be empty."""
        ...

    def read(self, reply: ModelReply, tools: Sequence[Tool], round: int, /) -> Turn:
        """Understand a reply."""
        ...

    def answered(self, steps: Sequence[Step], /) -> Message:
        """The ends of calls as the next message."""
        ...


class Native:
    """Calls in the form that providers have for them."""

    limits = RunLimits()
    loop_guard = None
    kept = "native"

    def offered(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """All of them."""
        return tools

    def told(self, tools: Sequence[Tool]) -> str:
        """Nothing: the declarations say it all."""
        return ""

    def read(self, reply: ModelReply, tools: Sequence[Tool], round: int) -> Turn:
        """The calls of the reply, or its text as the answer."""
        reply = in_order(reply, round)
        message = reply.message
        if reply.requests:
            held = {place: CUT_OFF for place, one in enumerate(reply.requests) if one.cut}
            return Turn(message, reply.requests, held)
        if reply.end is ReplyEnd.LENGTH:
            return Turn(message, end=RunStatus.LIMIT, why=OUTPUT_LIMIT, answer=reply.text)
        if reply.end is ReplyEnd.REFUSED:
            return Turn(message, end=RunStatus.FAILED, why="the model declined to answer", answer=reply.text)
        return Turn(message, answer=reply.text)

    def answered(self, steps: Sequence[Step]) -> Message:
        """One message with one answer per call."""
        return Message("tool", answers=tuple(step.answer for step in steps))

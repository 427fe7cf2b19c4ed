"""What a model is told and what it answers: frozen records, the same for every provider."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from tooldeck.core.errors import DefinitionError
from tooldeck.core.parts import Part

__all__ = [
    "Message",
    "ModelReply",
    "Native",
    "ReplyEnd",
    "ToolAnswer",
    "ToolRequest",
    "Usage",
    "words_of",
]

Role = Literal["system", "user", "assistant", "tool"]


class ReplyEnd(StrEnum):
    """Why a model stopped writing."""

    DONE = "done"
    """It said what it had to say, or asks for calls."""
    LENGTH = "length"
    """Its output limit was reached: what it wrote last may be cut off."""
    REFUSED = "refused"
    """The model or its provider declined to answer."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call that a model asks for, as it came: neither resolved nor checked."""

    id: str
    """What the answer refers to. Empty where the model gave none."""
    name: str
    arguments: Mapping[str, Any] | str | None = None
    """A mapping, or text that should be a JSON object."""
    cut: bool = False
    """Whether it was cut off; it is never run then."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a model is told about one of its calls."""

    id: str
    name: str
    text: str
    ok: bool = True
    parts: tuple[Part, ...] = ()
    """What a model that takes pictures and sounds is given in place of the text; empty when that is all."""


@dataclass(frozen=True, slots=True)
class Native:
    """A message in its provider's own form, given back to the same provider untouched.

    Some of what models write means something to their provider only: signatures, encrypted thoughts.
    """

    dialect: str
    content: Any = field(repr=False)
    """Plain JSON."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str = ""
    parts: tuple[Part, ...] = ()
    """Pictures, sounds and files beside the text."""
    requests: tuple[ToolRequest, ...] = ()
    """Calls that an ``assistant`` asks for."""
    answers: tuple[ToolAnswer, ...] = ()
    """Ends of calls, in a ``tool`` message: one per request of the message before it, in order."""
    native: Native | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used, in tokens; usages are added with ``+``."""

    input: int = 0
    output: int = 0
    cached: int = 0
    """Tokens of the input that the provider had read before."""
    cost: float | None = None
    """In the currency of the prices; None where nobody told any."""
    estimated: bool = False
    """Whether the provider told no figures, so that these are estimates."""

    def __post_init__(self) -> None:
        """Refuse what would make limits meaningless: whoever uses something never gets any back."""
        for name in ("input", "output", "cached"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int) or given < 0:
                raise DefinitionError(f"{name} of a usage must be a whole number, 0 or more, got {given!r}.")
        cost: Any = self.cost
        if cost is not None and not (type(cost) in (int, float) and 0 <= cost < math.inf):
            raise DefinitionError(f"cost of a usage must be a number, 0 or more, or None, got {cost!r}.")

    @property
    def total(self) -> int:
        """Tokens in and out."""
        return self.input + self.output

    def __add__(self, other: Usage) -> Usage:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            sum(costs) if costs else None,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered."""

    text: str = ""
    requests: tuple[ToolRequest, ...] = ()
    end: ReplyEnd = ReplyEnd.DONE
    usage: Usage | None = None
    """None where the model tells nothing."""
    thinking: str = ""
    """What it let see of its thoughts."""
    model: str = ""
    """Which model answered, in the provider's words."""
    native: Native | None = None

    def __post_init__(self) -> None:
        """Read lists as tuples."""
        object.__setattr__(self, "requests", tuple(self.requests))

    @property
    def message(self) -> Message:
        """The reply as a message of the conversation."""
        return Message("assistant", self.text, requests=self.requests, native=self.native)

    def but(self, **changes: Any) -> ModelReply:
        """The reply with other contents, which its native form no longer has."""
        return replace(self, **{"native": None, **changes})


def words_of(messages: Iterable[Message]) -> str:
    """All text of some messages, for estimates."""
    pieces: list[str] = []
    for message in messages:
        pieces.append(message.text)
        pieces += [f"{request.name} {request.arguments}" for request in message.requests]
        pieces += [answer.text for answer in message.answers]
    return "\n".join(pieces)

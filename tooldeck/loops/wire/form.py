"""What the form of a provider is: how a conversation is written, how replies are put together and read."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tooldeck.core.arguments import read_arguments
from tooldeck.core.errors import ModelError, TransientError
from tooldeck.core.messages import Message, ModelReply, ToolAnswer, ToolRequest, Usage
from tooldeck.core.parts import Audio, File, Image, Part
from tooldeck.core.tool import Tool

__all__ = [
    "Assembly",
    "Form",
    "Sent",
    "Turns",
    "arguments_of",
    "base64_of",
    "bearer",
    "blocks",
    "counted",
    "data_url",
    "fail",
    "media_of",
    "object_of",
    "system_of",
    "texts_of",
    "usage_of",
]

_UNREADABLE_CHARS = 2_000
_MOST_TOKENS = 10**12
_PASSING = {
    *("overloaded_error", "api_error", "rate_limit_error", "timeout_error"),
    *("server_error", "rate_limit_exceeded", "UNAVAILABLE", "RESOURCE_EXHAUSTED", "INTERNAL"),
}
"""Kinds of errors, as providers name them within streams, that may pass by themselves."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict[str, str])


class Assembly(Protocol):
    """A reply that comes in pieces, put together to what it would be without a stream."""

    @property
    def whole(self) -> dict[str, Any] | None:
        """The reply, once it is complete."""
        ...

    def take(self, data: dict[str, Any], /) -> str:
        """One more event; returns the text that is new in it."""
        ...


class Form(Protocol):
    """The form of one provider. Nothing here talks to anybody."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def provider(self) -> str:
        """Who speaks it first of all, in the words of OpenTelemetry."""
        ...

    @property
    def base_url(self) -> str:
        """Where its provider is."""
        ...

    @property
    def keys(self) -> tuple[str, ...]:
        """Environment variables that may hold the key."""
        ...

    def sent(
        self, model: str, messages: Sequence[Message], tools: Sequence[Tool], options: Mapping[str, Any], /,
        *, stream: bool,
    ) -> Sent:  # fmt: skip
        """The request that asks for a reply."""
        ...

    def signed(self, key: str, /) -> dict[str, str]:
        """The headers that carry the key."""
        ...

    def assembly(self) -> Assembly:
        """For one streamed reply."""
        ...

    def read(self, whole: dict[str, Any], /) -> ModelReply:
        """A complete reply; raises `ModelError` for what is none."""
        ...

    def answers(self, answers: Sequence[ToolAnswer], /) -> list[dict[str, Any]]:
        """The messages that tell the ends of calls."""
        ...


class Turns:
    """What the forms share: which of a message's four shapes is written."""

    name: str

    def written(self, message: Message) -> list[dict[str, Any]]:
        """A message: ends of calls, words of a person, or a reply, in its provider's own form if known."""
        if message.answers:
            return self.answers(message.answers)
        if message.role != "assistant":
            return [self.asked(message)]
        native = message.native
        known = native.content if native is not None and native.dialect == self.name else None
        return self.replied(message, known)

    def answers(self, answers: Sequence[ToolAnswer]) -> list[dict[str, Any]]:
        """See `Form.answers`."""
        raise NotImplementedError

    def asked(self, message: Message) -> dict[str, Any]:
        """What a person said."""
        raise NotImplementedError

    def replied(self, message: Message, native: Any) -> list[dict[str, Any]]:
        """A reply of the model; `native` is its provider's own form, None where another one wrote it."""
        raise NotImplementedError


def blocks(
    text: str,
    parts: Sequence[Part],
    words: Callable[[str], dict[str, Any]],
    media: Mapping[type[Any], Callable[[Any], dict[str, Any]]],
) -> list[dict[str, Any]]:
    """The blocks of a message: its words by `words`, then the parts of the kinds in `media`.

    Parts of other kinds are told among the words.
    """
    said = "\n".join(filter(None, [text, *texts_of(parts, tuple(media))]))
    written = [words(said)] if said.strip() else []
    return written + [media[type(part)](part) for part in parts if type(part) in media]


def arguments_of(request: ToolRequest) -> str:
    """The arguments of a call as JSON text."""
    return json.dumps(object_of(request), ensure_ascii=False, default=str)


def bearer(key: str) -> dict[str, str]:
    """The header that carries a key in most places."""
    return {"Authorization": f"Bearer {key}"}


def usage_of(told: Any, read: str, written: Sequence[str], cached: str) -> Usage | None:
    """Usage by a provider's names for what was read and written; ``a.b`` is a name within another.

    None where the figures are none, so that they are estimated.
    """
    if not isinstance(told, dict):
        return None
    outer, _, inner = cached.rpartition(".")
    details = told.get(outer) if outer else told
    again = details.get(inner) if isinstance(details, dict) else None
    return counted([told.get(read)], [told.get(one) for one in written], again)


def counted(read: Sequence[Any], written: Sequence[Any], cached: Any) -> Usage | None:
    """Usage out of figures as they are told, where nothing is 0; None where one of them is no count."""
    figures = [0 if one is None else one for one in (*read, *written, cached)]
    if not all(type(one) is int and 0 <= one <= _MOST_TOKENS for one in figures):
        return None
    return Usage(sum(figures[: len(read)]), sum(figures[len(read) : -1]), figures[-1])


def system_of(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    """What goes before the conversation, and the conversation."""
    system = "\n\n".join(message.text for message in messages if message.role == "system")
    return system, [message for message in messages if message.role != "system"]


def object_of(request: ToolRequest) -> dict[str, Any]:
    """The arguments of a call as an object; what cannot be read is shown as it was, within one."""
    read = read_arguments(request.arguments)
    if not read.problems:
        return read.arguments
    return {"unreadable_arguments": str(request.arguments)[:_UNREADABLE_CHARS]}


def media_of(answer: ToolAnswer) -> tuple[str, list[Image | Audio]]:
    """The text of an answer, and its pictures and sounds."""
    media = [part for part in answer.parts if isinstance(part, Image | Audio)]
    if not media:
        return answer.text, []
    texts = [str(part) for part in answer.parts if not isinstance(part, Image | Audio)]
    return "\n".join(texts) or f"[{len(media)} attached]", media


def base64_of(part: Image | Audio | File) -> str:
    """The data of a part."""
    return base64.b64encode(part.data).decode()


def data_url(part: Image | File) -> str:
    """The data of a part within an address."""
    return f"data:{part.mime};base64,{base64_of(part)}"


def texts_of(parts: Sequence[Part], kinds: tuple[type[Any], ...]) -> list[str]:
    """The parts that a provider does not take, as text."""
    return [str(part) for part in parts if not isinstance(part, kinds)]


def fail(error: Any) -> None:
    """Raise for an error that a provider reports within its reply; nothing for None."""
    if error is None:
        return
    told = error if isinstance(error, dict) else {"message": error}
    said = str(told.get("message") or json.dumps(told, default=str))[:500]
    kinds = {str(told.get(name)) for name in ("type", "code", "status")}
    if kinds & _PASSING or told.get("code") in (429, 500, 502, 503, 504, 529):
        raise TransientError(said)
    raise ModelError(said)

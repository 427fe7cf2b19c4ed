"""Words of the deck's model for a server (sampling): the person sees all of it, and may change or refuse it.

The question is a call of a tool of our own, as for commands and definitions: the deck's policy, cards and log
are the same, what was edited is checked again, and where nobody can be asked the answer is no.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tooldeck.core.define import define
from tooldeck.core.messages import Message, ModelReply, ReplyEnd
from tooldeck.core.model import Model, name_of
from tooldeck.core.options import Options
from tooldeck.core.parts import Audio, Image, Part, Text
from tooldeck.core.result import ToolResult
from tooldeck.core.tokens import estimate_tokens
from tooldeck.core.tool import Origin, Tool
from tooldeck.hosts.lanes import Lane
from tooldeck.mcp.handlers import SampleRefused, SampleWish
from tooldeck.mcp.results import part_of

__all__ = ["SAMPLE", "Complete", "Said", "read_wish", "said_by", "sampler"]

SAMPLE = "ask_model_for_mcp_server"
_LIMIT = 120.0
"""Seconds that the model may take."""


@dataclass(frozen=True)
class Said:
    """One message, as the person sees and may change it."""

    role: Literal["user", "assistant"]
    text: str
    attached: list[str] = field(default_factory=list[str])
    """What comes along, each by its number, kind and size; what is taken out here is not sent."""


class Complete(Protocol):
    """Has a model answer a conversation; `Deck.complete` is one."""

    def __call__(self, messages: Sequence[Message], *, seconds: float | None = None) -> ModelReply:
        """The reply, within so many seconds."""
        ...


def sampler(
    call: Callable[[Tool, Mapping[str, Any]], ToolResult],
    complete: Complete,
    model: Callable[[], Model | None],
) -> Callable[[SampleWish], Awaitable[ModelReply | SampleRefused]]:
    """What answers the wishes of servers with a deck's model; `call` and `complete` are the deck's own."""

    async def sample(wish: SampleWish) -> ModelReply | SampleRefused:
        asked = model()
        if asked is None:
            return SampleRefused(
                "this deck has no model; set deck.model, to what tooldeck.loops makes, such as "
                "openai_chat('gpt-5')"
            )
        got: list[ModelReply] = []
        tool, arguments = _question(wish, complete, got)
        # On a thread of its own: the person and the model take their time, and all servers share a loop.
        lane = Lane(lambda: call(tool, arguments), "sampling")
        lane.start()
        try:
            result = await asyncio.wrap_future(lane.future)
        except asyncio.CancelledError:
            lane.interrupt()
            raise
        if not result.ok or not got:
            return SampleRefused(result.error or "it was refused")
        return got[-1] if got[-1].model else got[-1].but(model=name_of(asked))

    return sample


def _question(wish: SampleWish, complete: Complete, got: list[ModelReply]) -> tuple[Tool, dict[str, Any]]:
    """Whether the model is asked; `got` takes its reply."""
    named = {
        f"{number}: {_kind(part)}": part
        for number, part in enumerate((part for one in wish.messages for part in one.parts), 1)
    }
    names = iter(named)

    def ask(server: str, messages: list[Said], system: str, max_tokens: int) -> dict[str, Any]:
        """Runs when it was approved, with what the person left of it."""
        told = [Message("system", system)] if system else []
        for one in messages:
            parts = tuple(named[name] for name in one.attached if name in named)
            told.append(Message(one.role, one.text, parts))
        reply = complete(told, seconds=_LIMIT)
        got.append(_cut(reply, max_tokens, wish.stops))
        usage = reply.usage
        return {
            "text": got[-1].text,
            "model": reply.model,
            "tokens": None if usage is None else {"input": usage.input, "output": usage.output},
        }

    tool = define(
        ask,
        Options(
            name=SAMPLE,
            description=(
                f"Let the MCP server {wish.server!r} have this deck's model answer these messages"
                f"{f', while running {wish.tool}' if wish.tool else ''}. The server reads the answer."
            ),
            effects="model",
            ask=True,
        ),
        origin=Origin("builtin", "mcp"),
    )
    messages = [
        {"role": one.role, "text": one.text, "attached": [next(names) for _ in one.parts]}
        for one in wish.messages
    ]
    return tool, {
        "server": wish.server,
        "messages": messages,
        "system": wish.system,
        "max_tokens": wish.max_tokens,
    }


def _kind(part: Part) -> str:
    return f"{part.mime}, {len(part.data)} bytes" if isinstance(part, Image | Audio) else type(part).__name__


def _cut(reply: ModelReply, max_tokens: int, stops: Sequence[str]) -> ModelReply:
    """The reply within what the server wants, however the model was asked."""
    ends = [place for stop in stops if stop and (place := reply.text.find(stop)) >= 0]
    if ends:
        reply = reply.but(text=reply.text[: min(ends)])
    tokens = estimate_tokens(reply.text)
    known = reply.usage.output if reply.usage is not None and not reply.usage.estimated else tokens
    if min(known, tokens) <= max_tokens:
        return reply
    kept = len(reply.text) * max_tokens // tokens
    return reply.but(text=reply.text[:kept], end=ReplyEnd.LENGTH)


def read_wish(server: str, tool: str, params: Any) -> SampleWish | SampleRefused:
    """Translate ``CreateMessageRequestParams``; refuses what no model can be told."""
    if params.tools or params.tool_choice is not None:
        return SampleRefused("this client lets a server's wishes call no tools")
    messages: list[Message] = []
    for one in params.messages:
        parts = [part_of(block) for block in one.content_as_list]
        text = "\n".join(part.text for part in parts if isinstance(part, Text))
        messages.append(Message(one.role, text, tuple(part for part in parts if not isinstance(part, Text))))
    return SampleWish(
        server,
        tool,
        tuple(messages),
        params.system_prompt or "",
        params.max_tokens,
        tuple(params.stop_sequences or ()),
    )


def said_by(reply: ModelReply) -> Any:
    """Translate a reply into a ``CreateMessageResult``."""
    from mcp import types

    ended = "maxTokens" if reply.end is ReplyEnd.LENGTH else "endTurn"
    return types.CreateMessageResult(
        role="assistant",
        content=types.TextContent(text=reply.text),
        model=reply.model or "unknown",
        stop_reason=ended,
    )

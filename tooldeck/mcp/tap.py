"""A tap on the line between client and server: keeps what the client library would throw away.

One malformed tool makes the library refuse a whole list, and one content block of a kind it does not know
makes it lose a whole result. The tap sees the raw answers first: it logs them as they are, sorts the
malformed tools out, with the reason, and turns unknown blocks into text.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any, Self, cast

from tooldeck.mcp.frames import FrameLog

__all__ = ["MOST_TOOLS", "Malformed", "Tap"]

MOST_TOOLS = 2_000
"""Tools of one server that are read; each costs milliseconds to check, and no model can choose among more."""
_BLOCKS = {"text", "image", "audio", "resource", "resource_link"}


@dataclass(frozen=True, slots=True)
class Malformed:
    """A tool in a server's list that cannot be used."""

    name: str
    """The server's name of it, or its place in the list where it has none."""
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


class Tap:
    """Sits on one connection; `version` gives the protocol version once it is known."""

    def __init__(self, log: FrameLog | None = None) -> None:
        self.log = FrameLog() if log is None else log
        self.version: Callable[[], str] = lambda: "2025-11-25"
        self.malformed: list[Malformed] = []
        """The tools that were sorted out of the lists so far."""
        self.definitions: dict[str, dict[str, Any]] = {}
        """The good tools of the lists so far, just as the server sent them."""
        self.ended = asyncio.Event()
        """Set when nothing more will be read from the server."""
        self.hung_up = False
        """Whether that is so because the server closed its end."""
        self.heard = False
        """Whether it has said anything."""

    @contextlib.asynccontextmanager
    async def through(self, transport: Any) -> AsyncGenerator[tuple[Any, Any]]:
        """The streams of `transport` with the tap on them."""
        async with transport as (read, write):
            yield _Reading(read, self), _Writing(write, self)

    def fresh_list(self) -> None:
        """A list of tools is about to be read from its beginning."""
        self.malformed.clear()
        self.definitions.clear()

    def end(self) -> None:
        """Nothing more will be read."""
        self.ended.set()
        self.log.hang_up()

    def sent(self, item: Any) -> None:
        """Log a message on its way out."""
        self.log.add(item.message, sent=True)

    def received(self, item: Any) -> None:
        """Log a message on its way in, and repair an answer. What is logged stays as it came."""
        message = getattr(item, "message", None)
        if message is None:
            return  # no message, but what the transport has to complain about
        self.heard = True
        exchange = self.log.add(message, sent=False)
        if exchange.method == "notifications/progress" and not _countable(exchange.params):
            # What no float can hold would end the reading of the client library, and so the session.
            item.message = message.model_copy(update={"params": {}})
            return
        result = getattr(message, "result", None)
        if exchange.answer is None or not isinstance(result, dict):
            return
        repaired = self._repaired(exchange.method, cast("dict[str, Any]", result))
        if repaired is not result:
            item.message = message.model_copy(update={"result": repaired})

    def _repaired(self, method: str, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer with what the client library can read; the same object where that is all of it."""
        if method == "tools/list" and isinstance(answer.get("tools"), list):
            return {**answer, "tools": self._sorted_out(answer)}
        if method == "tools/call" and isinstance(answer.get("content"), list):
            blocks = cast("list[Any]", answer["content"])
            if not all(map(_is_known, blocks)):
                return {**answer, "content": [_known_block(block) for block in blocks]}
        if method == "prompts/get" and isinstance(answer.get("messages"), list):
            return {
                **answer,
                "messages": [_known_message(one) for one in cast("list[Any]", answer["messages"])],
            }
        return answer

    def _sorted_out(self, page: dict[str, Any]) -> list[Any]:
        good: list[Any] = []
        listed: list[Any] = page["tools"]
        if len(listed) > MOST_TOOLS:
            said = f"a list of {len(listed)} tools is cut to the first {MOST_TOOLS}"
            self.malformed.append(Malformed("the list", said))
        for index, tool in enumerate(listed[:MOST_TOOLS]):
            reason = _fault(tool, page, self.version())
            if reason is None:
                good.append(tool)
                self.definitions.setdefault(str(tool["name"]), cast("dict[str, Any]", tool))
            else:
                name = cast("dict[str, Any]", tool).get("name") if isinstance(tool, dict) else None
                self.malformed.append(Malformed(str(name or f"tool {index + 1} of the list"), reason))
        return good


def _fault(tool: Any, page: dict[str, Any], version: str) -> str | None:
    """Why the client library would refuse this tool, or None."""
    from mcp.shared.inbound import find_invalid_x_mcp_header
    from mcp_types import ListToolsResult
    from mcp_types.methods import validate_server_result
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS
    from pydantic import ValidationError

    alone = {**page, "tools": [tool]}
    try:
        with contextlib.suppress(KeyError):
            validate_server_result("tools/list", version, alone)
        ListToolsResult.model_validate(alone, by_name=False)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(step) for step in fault["loc"] if step not in ("tools", 0))
        return f"{place or 'it'} {fault['msg'][:1].lower()}{fault['msg'][1:]}"
    if version in MODERN_PROTOCOL_VERSIONS:
        header = find_invalid_x_mcp_header(tool.get("inputSchema"))
        return f"its x-mcp-header is invalid: {header}" if header is not None else None
    return None


def _countable(params: dict[str, Any]) -> bool:
    """Whether progress can be told in floats."""
    numbers = (params.get("progress"), params.get("total"))
    try:
        return all(math.isfinite(number) for number in numbers if isinstance(number, int | float))
    except OverflowError:
        return False


def _is_known(block: Any) -> bool:
    return isinstance(block, dict) and cast("dict[str, Any]", block).get("type") in _BLOCKS


def _known_block(block: Any) -> Any:
    if _is_known(block):
        return block
    return {"type": "text", "text": json.dumps(block, ensure_ascii=False)}


def _known_message(message: Any) -> Any:
    """A message of a prompt, its content in a form that the client library can read."""
    if not isinstance(message, dict) or "content" not in message:
        return message
    told = cast("dict[str, Any]", message)
    return told if _is_known(told["content"]) else {**told, "content": _known_block(told["content"])}


class _Reading:
    """The read stream, watched."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner = inner
        self._tap = tap

    @property
    def last_context(self) -> Any:
        """The context of the sender of the last message, where the transport keeps it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        """The next message."""
        item = await self._inner.receive()
        self._tap.received(item)
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            item = await self._inner.__anext__()
        except BaseException as error:
            self._tap.hung_up = isinstance(error, StopAsyncIteration)
            self._tap.end()
            raise
        self._tap.received(item)
        return item

    async def aclose(self) -> None:
        """Close it."""
        self._tap.end()
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Writing:
    """The write stream, watched."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner = inner
        self._tap = tap

    async def send(self, item: Any) -> None:
        """Send a message."""
        self._tap.sent(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        """Close it."""
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

"""A tap on the line between client and server: keeps what the client library would throw away.

One malformed tool makes the library refuse a whole list, and one content block of a kind it does not know
makes it lose a whole result. The tap sees the raw answers first: it sorts the malformed tools out, with the
reason, and turns unknown blocks into text.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any, Self, cast

__all__ = ["MOST_TOOLS", "Malformed", "Tap"]

MOST_TOOLS = 2_000
"""Tools of one server that are read; each costs milliseconds to check, and no model can choose among more."""
_BLOCKS = {"text", "image", "audio", "resource", "resource_link"}
_WATCHED = {"tools/list", "tools/call"}


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

    def __init__(self) -> None:
        self.version: Callable[[], str] = lambda: "2025-11-25"
        self.malformed: list[Malformed] = []
        """The tools that were sorted out of the lists so far."""
        self.ended = asyncio.Event()
        """Set when nothing more will be read from the server."""
        self._asked: dict[Any, str] = {}

    @contextlib.asynccontextmanager
    async def through(self, transport: Any) -> AsyncGenerator[tuple[Any, Any]]:
        """The streams of `transport` with the tap on them."""
        async with transport as (read, write):
            yield _Reading(read, self), _Writing(write, self)

    def sent(self, item: Any) -> None:
        """Note a request on its way out."""
        method = getattr(item.message, "method", None)
        if method in _WATCHED and getattr(item.message, "id", None) is not None:
            self._asked[item.message.id] = method
        elif method == "notifications/cancelled":
            self._asked.pop((item.message.params or {}).get("requestId"), None)

    def received(self, item: Any) -> None:
        """Repair an answer on its way in."""
        message = getattr(item, "message", None)
        method = self._asked.pop(getattr(message, "id", None), None)
        result = getattr(message, "result", None)
        if not isinstance(result, dict):
            return
        answer = cast("dict[str, Any]", result)
        if method == "tools/list" and isinstance(answer.get("tools"), list):
            answer["tools"] = self._sorted_out(answer)
        elif method == "tools/call" and isinstance(answer.get("content"), list):
            answer["content"] = [_known_block(block) for block in cast("list[Any]", answer["content"])]

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


def _known_block(block: Any) -> Any:
    if isinstance(block, dict) and cast("dict[str, Any]", block).get("type") in _BLOCKS:
        return cast("Any", block)
    return {"type": "text", "text": json.dumps(block, ensure_ascii=False)}


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
        except BaseException:
            self._tap.ended.set()
            raise
        self._tap.received(item)
        return item

    async def aclose(self) -> None:
        """Close it."""
        self._tap.ended.set()
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

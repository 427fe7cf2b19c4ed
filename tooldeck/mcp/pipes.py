"""The two pipes of a server process as the streams of messages that the MCP client reads and writes.

Straight on the pipes: no task and no queue in between, which would cost a turn of the loop for every message.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import MutableSequence
from typing import Any, Self

from tooldeck.mcp.salvage import salvaged

__all__ = ["Incoming", "Outgoing"]

_LONGEST_LINE = 64 * 1024 * 1024
"""Bytes. A server that sends more without a line break is taken for broken."""
_QUOTED = 500
# Bytes of a stray line that are kept.


class Incoming:
    """Messages from the server, one a line. Other lines are `junk`, unless they can be read all the same."""

    def __init__(self, stdout: asyncio.StreamReader, junk: MutableSequence[str]) -> None:
        self._stdout = stdout
        self._junk = junk
        self._lines: deque[bytes] = deque()
        self._rest = bytearray()
        self._over = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        while True:
            while self._lines:
                message = self._read(self._lines.popleft())
                if message is not None:
                    return message
            if self._over:
                raise StopAsyncIteration
            await self._more()

    async def _more(self) -> None:
        """Read on; at the end of file what is left counts as a line."""
        await asyncio.sleep(0)  # a server that never stops talking must not have the loop to itself
        chunk = await self._stdout.read(2**16)
        self._rest += chunk
        if b"\n" in chunk:
            *lines, rest = self._rest.split(b"\n")
            self._lines += map(bytes, lines)
            self._rest = bytearray(rest)
        if not chunk:
            self._over = True
            self._lines.append(bytes(self._rest))
        elif len(self._rest) > _LONGEST_LINE:
            self._over = True
            self._junk.append(f"a line of more than {_LONGEST_LINE} bytes")

    def _read(self, line: bytes) -> Any:
        from mcp.shared.message import SessionMessage
        from mcp_types import jsonrpc_message_adapter

        if not line.strip():
            return None
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            self._junk.append(line[:_QUOTED].decode(errors="replace").strip())
            message = salvaged(line)
        return None if message is None else SessionMessage(message)

    async def receive(self) -> Any:
        """The next message; raises ``anyio.EndOfStream`` when there is none."""
        import anyio

        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def aclose(self) -> None:
        """Read no further."""
        self._over = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Outgoing:
    """Messages to the server, one a line."""

    def __init__(self, stdin: asyncio.StreamWriter) -> None:
        self._stdin = stdin
        self._closed = False

    async def send(self, item: Any) -> None:
        """Write a message; raises the ``anyio`` errors that the MCP client expects when nobody reads it."""
        import anyio

        if self._closed:
            raise anyio.ClosedResourceError
        text: str = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            # In one piece, so that a call cancelled in the next line leaves no half of a message behind.
            self._stdin.write(text.encode() + b"\n")
            await self._stdin.drain()
        except (OSError, RuntimeError):  # broken pipe; the transport is closed already
            raise anyio.BrokenResourceError from None

    async def aclose(self) -> None:
        """Write no further. The pipe itself is closed when the session ends."""
        self._closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

"""A server as a child process: streams as messages, stderr in a file of its own, an end with a reason.

Lines on stdout that are no messages are kept for the error text and go nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator
from typing import Any

from tooldeck.guards.process import Process
from tooldeck.mcp.errors import McpConnectError
from tooldeck.mcp.pipes import Incoming, Outgoing
from tooldeck.mcp.stderr import StderrFile
from tooldeck.mcp.target import Command, find_program

__all__ = ["StdioServer"]


class StdioServer:
    """One run of a server program. Enter `streams` once."""

    def __init__(self, command: Command, env: dict[str, str], cwd: str | None = None) -> None:
        self.command = command
        self.env = env
        self.cwd = cwd
        self.junk: deque[str] = deque(maxlen=20)
        """The last lines on stdout that were no messages."""
        self._stderr: StderrFile | None = None
        self._process: Process | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id, which is that of its process group too."""
        return None if self._process is None else self._process.pid

    @property
    def exit_code(self) -> int | None:
        """How it ended; negative for a signal, None while it runs or when nobody knows."""
        return None if self._process is None else self._process.exit_code

    @contextlib.asynccontextmanager
    async def streams(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Start the program; yields what the MCP client reads from and writes to; ends the program."""
        find_program(self.command, self.env, self.cwd)
        stderr = self._stderr = StderrFile()
        process = Process(self.command.words, self.env, self.cwd, stderr=stderr.file)
        try:
            await process.start()
        except (OSError, ValueError) as error:  # ValueError: a null character in the environment
            stderr.close()
            raise McpConnectError(f"Cannot start {str(self.command)!r}: {error}.") from None
        self._process = process
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        trim = asyncio.create_task(stderr.keep_short(), name="mcp-stderr")
        try:
            yield Incoming(process.stdout, self.junk), Outgoing(process.stdin)
        finally:
            trim.cancel()
            try:
                await process.end()
            finally:
                stderr.close()

    # -- what happened

    async def settled(self, limit: float) -> None:
        """Wait until it is known how the server ended, at most `limit` seconds."""
        if self._process is not None:
            await self._process.settle(limit)

    def stderr_lines(self, count: int = 8) -> list[str]:
        """The last lines of stderr."""
        return self._stderr.lines(count) if self._stderr is not None else []

    def ending(self) -> str:
        """How the process ended, in words; empty while that is not known."""
        return "" if self._process is None else self._process.ending()

    def told(self) -> str:
        """What it printed: the last lines of stderr and the stray lines on stdout, for an error message."""
        parts: list[str] = []
        lines = self.stderr_lines()
        if lines:
            parts.append("Its stderr ends with:\n" + "\n".join(f"    {line}" for line in lines))
        if self.junk:
            shown = "\n".join(f"    {line[:200]}" for line in list(self.junk)[-3:])
            parts.append(f"It printed to stdout, which is reserved for the protocol (use stderr):\n{shown}")
        return "\n".join(parts)

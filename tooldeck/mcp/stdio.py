"""A server as a child process: streams as messages, stderr in a file of its own, an end with a reason.

The process is started under `guard`, which ends the whole process group when the session is closed or when
this process is gone. Lines on stdout that are no messages are kept for the error text and go nowhere else.
"""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import contextlib
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from tooldeck.mcp.errors import McpConnectError
from tooldeck.mcp.pipes import Incoming, Outgoing
from tooldeck.mcp.stderr import StderrFile
from tooldeck.mcp.target import Command, find_program

__all__ = ["StdioServer"]

_GUARD = str(Path(__file__).with_name("guard.py"))
_CLOSE_LIMIT = 4.5
# Seconds: the guard needs 3 at most.
_UNGUARDED_GRACE = 1.5
# Seconds a server has to leave after the end of its input, when its guard is gone.
_REAP_LIMIT = 3.0
# Seconds until asyncio has heard of the end of the process; a busy machine takes its time.


class StdioServer:
    """One run of a server program. Enter `streams` once."""

    def __init__(self, command: Command, env: dict[str, str], cwd: str | None = None) -> None:
        self.command = command
        self.env = env
        self.cwd = cwd
        self.pid: int | None = None
        """The server's process id, which is that of its process group too."""
        self.exit_code: int | None = None
        """How it ended; negative for a signal, None while it runs or when nobody knows."""
        self.spawn_error = ""
        self.junk: deque[str] = deque(maxlen=20)
        """The last lines on stdout that were no messages."""
        self._stderr: StderrFile | None = None
        self._ended = asyncio.Event()
        self._settled = asyncio.Event()
        self._reaped = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._control: socket.socket | None = None

    # -- life ---

    @contextlib.asynccontextmanager
    async def streams(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Start the program; yields what the MCP client reads from and writes to; ends the program."""
        find_program(self.command, self.env, self.cwd)
        stderr = self._stderr = StderrFile()
        stdin, stdout = await self._start(stderr)
        watch = asyncio.create_task(self._watch(), name="mcp-watch")
        trim = asyncio.create_task(stderr.keep_short(), name="mcp-stderr")
        try:
            yield Incoming(stdout, self.junk), Outgoing(stdin)
        finally:
            trim.cancel()
            # Cancelled in the middle, the end must still come; nothing in it waits for long.
            await asyncio.shield(asyncio.create_task(self._end(stdin, stdout, watch)))

    async def _start(self, stderr: StderrFile) -> tuple[asyncio.StreamWriter, asyncio.StreamReader]:
        loop = asyncio.get_running_loop()
        guarded = sys.platform != "win32"
        ours, theirs = socket.socketpair() if guarded else (None, None)
        words = list(self.command.words)
        extra: dict[str, Any] = {}
        if ours is not None and theirs is not None:
            ours.setblocking(False)
            words = [sys.executable, "-I", "-S", _GUARD, str(theirs.fileno()), *words]
            extra = {"pass_fds": (theirs.fileno(),), "start_new_session": True}
        try:
            self._transport, protocol = await loop.subprocess_exec(
                lambda: _Streams(loop, self._reaped),
                *words,
                stderr=stderr.file,
                env=self.env,
                cwd=self.cwd,
                **extra,
            )
        except (OSError, ValueError) as error:  # ValueError: a null character in the environment
            if ours is not None:
                ours.close()
            stderr.close()
            raise McpConnectError(f"Cannot start {str(self.command)!r}: {error}.") from None
        finally:
            if theirs is not None:
                theirs.close()
        self._control = ours
        assert protocol.stdin is not None  # noqa: S101 - both are pipes
        assert protocol.stdout is not None  # noqa: S101
        return protocol.stdin, protocol.stdout

    async def _end(
        self, stdin: asyncio.StreamWriter, stdout: asyncio.StreamReader, watch: asyncio.Task[None]
    ) -> None:
        """End of input, then the guard's own steps; if even that does not help, by force."""
        stdin.close()
        # A server that is stuck in writing would never see the end of its input.
        drain = asyncio.create_task(_drained(stdout), name="mcp-drain")
        if self._control is not None:
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_WR)
        try:
            await asyncio.wait_for(self._ended.wait(), _CLOSE_LIMIT)
        except TimeoutError:
            self._force()
        if self.exit_code is None and not self.spawn_error:
            # Somebody ended the guard, so nobody has ended the server.
            await asyncio.wait([drain], timeout=_UNGUARDED_GRACE)
            self._force()
        for task in (drain, watch):
            task.cancel()
        await asyncio.wait([drain, watch], timeout=1.0)
        await self._release()

    async def _release(self) -> None:
        if self._stderr is not None:
            self._stderr.close()
        if self._control is not None:
            self._control.close()
        if self._transport is not None:
            # Closed too early, the transport reaps the process behind the back of asyncio's watcher, which
            # complains.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._reaped.wait(), _REAP_LIMIT)
            with contextlib.suppress(OSError):
                self._transport.close()

    def _force(self) -> None:
        """The guard is gone or stuck: kill the group ourselves."""
        if self._transport is not None:
            with contextlib.suppress(ProcessLookupError):
                self._transport.kill()
        if self.pid is not None and sys.platform != "win32":
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)

    async def _watch(self) -> None:
        """What the guard reports, until the guard itself is gone."""
        if self._control is None:
            await self._reaped.wait()
            self.exit_code = self._transport.get_returncode() if self._transport is not None else None
            self._settled.set()
            self._ended.set()
            return
        loop = asyncio.get_running_loop()
        heard = b""
        with contextlib.suppress(OSError):
            while chunk := await loop.sock_recv(self._control, 4096):
                heard += chunk
                *lines, heard = heard.split(b"\n")
                for line in lines:
                    self._hear(line.decode(errors="replace"))
        self._settled.set()
        self._ended.set()

    def _hear(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "pid":
            self.pid = int(rest)
        elif word == "exit":
            self.exit_code = int(rest)
        elif word == "error":
            self.spawn_error = rest
        if word != "pid":
            self._settled.set()

    # -- what happened ---

    async def settled(self, limit: float) -> None:
        """Wait until it is known how the server ended, at most `limit` seconds."""
        if self._transport is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), limit)

    def stderr_lines(self, count: int = 8) -> list[str]:
        """The last lines of stderr."""
        return self._stderr.lines(count) if self._stderr is not None else []

    def ending(self) -> str:
        """How the process ended, in words; empty while that is not known."""
        if self.spawn_error:
            return f"could not be started ({self.spawn_error})"
        if self.exit_code is None:
            return ""
        if self.exit_code >= 0:
            return f"exited with code {self.exit_code}"
        try:
            name = signal.Signals(-self.exit_code).name
        except ValueError:
            name = f"signal {-self.exit_code}"
        return f"was killed by {name}"

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


async def _drained(stdout: asyncio.StreamReader) -> None:
    """Read what nobody wants any more."""
    with contextlib.suppress(OSError):
        while await stdout.read(2**16):
            pass


class _Streams(asyncio.subprocess.SubprocessStreamProtocol):
    """Streams, and an event for the moment when the process has been reaped."""

    def __init__(self, loop: asyncio.AbstractEventLoop, reaped: asyncio.Event) -> None:
        super().__init__(limit=2**20, loop=loop)
        self._reaped = reaped

    def process_exited(self) -> None:
        super().process_exited()
        self._reaped.set()

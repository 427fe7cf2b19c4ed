"""One program under a keeper: started without a shell, ended with everything that it started.

The keeper is a small process of its own (`keeper.py`). It ends the program's process group, and what left
that group, when it is told to and when this process is gone, also after SIGKILL. Servers that live long and
programs that run once go through here.
"""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

__all__ = ["Process", "ending_of"]

_KEEPER = str(Path(__file__).with_name("keeper.py"))
_KEEPER_NEEDS = 3.5
# Seconds that the keeper takes at most, beside the patience that it was told to have.
_UNKEPT_GRACE = 1.5
# Seconds a program has to leave after the end of its input, when its keeper is gone.
_REAP_LIMIT = 3.0
# Seconds until asyncio has heard of the end of the process; a busy machine takes its time.


class Process:
    """One run of a program. `start` it once, `end` it whatever happens.

    `env` is the whole environment; `stdin` and `stderr` are pipes, or what `subprocess` takes in their place.
    `leave` and `term` are the seconds that the program has to leave by itself after the end of its input, and
    after SIGTERM. `group` is the folder of a control group that it runs in.
    """

    def __init__(
        self,
        words: Sequence[str],
        env: Mapping[str, str],
        cwd: str | None = None,
        *,
        stdin: int | IO[Any] = asyncio.subprocess.PIPE,
        stderr: int | IO[Any] = asyncio.subprocess.PIPE,
        leave: float = 1.5,
        term: float = 1.5,
        group: str = "",
    ) -> None:
        self.pid: int | None = None
        """The program's process id, which is that of its process group too."""
        self.exit_code: int | None = None
        """How it ended; negative for a signal, None while it runs or when nobody knows."""
        self.spawn_error = ""
        self.stdin: asyncio.StreamWriter | None = None
        """None where it is no pipe; so is `stderr`."""
        self.stdout: asyncio.StreamReader | None = None
        self.stderr: asyncio.StreamReader | None = None
        self.ended = asyncio.Event()
        """Set when the program and all that it started are gone."""
        self.settled = asyncio.Event()
        """Set when it is known how the program ended."""
        self._words, self._env, self._cwd = list(words), dict(env), cwd
        self._streams: dict[str, Any] = {"stdin": stdin, "stderr": stderr}
        self._patience = (leave, term)
        self._group = group
        self._reaped = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._control: socket.socket | None = None
        self._watcher: asyncio.Task[None] | None = None

    # -- life

    async def start(self) -> None:
        """Start the program; raises OSError, or ValueError for a null character in the environment."""
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair() if sys.platform != "win32" else (None, None)
        words = self._words
        extra: dict[str, Any] = {}
        if ours is not None and theirs is not None:
            ours.setblocking(False)
            patience = [str(seconds) for seconds in self._patience]
            keeper = [sys.executable, "-I", "-S", _KEEPER]
            words = [*keeper, str(theirs.fileno()), *patience, self._group, *self._words]
            extra = {"pass_fds": (theirs.fileno(),), "start_new_session": True}
        try:
            self._transport, protocol = await loop.subprocess_exec(
                lambda: _Streams(loop, self._reaped),
                *words,
                env=self._env,
                cwd=self._cwd,
                **self._streams,
                **extra,
            )
        except BaseException:
            if ours is not None:
                ours.close()
            raise
        finally:
            if theirs is not None:
                theirs.close()
        self._control = ours
        self.stdin, self.stdout, self.stderr = protocol.stdin, protocol.stdout, protocol.stderr
        self._watcher = asyncio.create_task(self._watch(), name="tooldeck-process")

    async def end(self, *, drain: bool = True) -> None:
        """End of input, then the keeper's own steps; if even that does not help, by force.

        Where nobody reads the output any more, `drain` it: a program that is stuck in writing would never see
        the end of its input. Cancelled in the middle, the end comes all the same; it takes a few seconds.
        """
        if self._watcher is not None:
            await asyncio.shield(asyncio.create_task(self._end(self._watcher, drain)))

    async def _end(self, watcher: asyncio.Task[None], drain: bool) -> None:  # noqa: FBT001
        if self.stdin is not None:
            self.stdin.close()
        readers = [stream for stream in (self.stdout, self.stderr) if stream is not None and drain]
        drains = [asyncio.create_task(_drained(stream), name="tooldeck-drain") for stream in readers]
        self.tell_to_end()
        try:
            await asyncio.wait_for(self.ended.wait(), sum(self._patience) + _KEEPER_NEEDS)
        except TimeoutError:
            self._force()
        if self.exit_code is None and not self.spawn_error:
            # Somebody ended the keeper, so nobody has ended the program.
            if drains:
                await asyncio.wait(drains, timeout=_UNKEPT_GRACE)
            self._force()
        for task in (*drains, watcher):
            task.cancel()
        await asyncio.wait([*drains, watcher], timeout=1.0)
        await self._release()

    def tell_to_end(self) -> None:
        """Let the keeper begin to end the program; `ended` tells when it has."""
        if self._control is not None:
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_WR)
        elif self._transport is not None and not any(self._patience):
            self._force()

    async def _release(self) -> None:
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
        """The keeper is gone or stuck: kill the group ourselves."""
        if self._transport is not None:
            with contextlib.suppress(ProcessLookupError):
                self._transport.kill()
        if self.pid is not None and sys.platform != "win32":
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)

    async def _watch(self) -> None:
        """What the keeper reports, until the keeper itself is gone."""
        if self._control is None:
            await self._reaped.wait()
            self.exit_code = self._transport.get_returncode() if self._transport is not None else None
        else:
            await self._listen(self._control)
        self.settled.set()
        self.ended.set()

    async def _listen(self, control: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        heard = b""
        with contextlib.suppress(OSError):
            while chunk := await loop.sock_recv(control, 4096):
                heard += chunk
                *lines, heard = heard.split(b"\n")
                for line in lines:
                    self._hear(line.decode(errors="replace"))

    def _hear(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "pid":
            self.pid = int(rest)
        elif word == "exit":
            self.exit_code = int(rest)
        elif word == "error":
            self.spawn_error = rest
        if word != "pid":
            self.settled.set()

    # -- what happened

    async def settle(self, limit: float) -> None:
        """Wait until it is known how the program ended, at most `limit` seconds."""
        if self._transport is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.settled.wait(), limit)

    def ending(self) -> str:
        """How it ended, in words; empty while that is not known."""
        if self.spawn_error:
            return f"could not be started ({self.spawn_error})"
        return "" if self.exit_code is None else ending_of(self.exit_code)


def ending_of(code: int) -> str:
    """An exit code in words; a negative one is a signal's."""
    return f"exited with code {code}" if code >= 0 else f"was killed by {signal_name(-code)}"


def signal_name(number: int) -> str:
    """``SIGKILL`` for 9, ``signal 99`` for a number without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def _drained(stream: asyncio.StreamReader) -> None:
    """Read what nobody wants any more."""
    with contextlib.suppress(OSError):
        while await stream.read(2**16):
            pass


class _Streams(asyncio.subprocess.SubprocessStreamProtocol):
    """Streams, and an event for the moment when the process has been reaped."""

    def __init__(self, loop: asyncio.AbstractEventLoop, reaped: asyncio.Event) -> None:
        super().__init__(limit=2**20, loop=loop)
        self._reaped = reaped

    def process_exited(self) -> None:
        super().process_exited()
        self._reaped.set()

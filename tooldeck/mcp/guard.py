"""Stands between us and a stdio server and ends the server's process group when we are gone, however we went.

Run as ``python -I -S guard.py FD COMMAND ARG…``. FD is one end of a socket pair: over it the guard reports
``pid N``, ``exit N`` or ``error TEXT``; its end of file means that our side is gone or has closed the
session. The server has the guard's standard streams all to itself, so nothing is copied and nothing is
slower. Standard library only, few imports: it starts with every server.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable

EOF_GRACE = 1.5
"""Seconds a server has to leave after the end of its input, before SIGTERM."""
TERM_GRACE = 1.5
"""Seconds it has after SIGTERM, before SIGKILL."""
_LOOK = 1.0
# Seconds between looks at the parent: a forked child of it may hold the socket open after its death.


class Guard:
    """One server under guard."""

    def __init__(self, control: int, command: list[str]) -> None:
        self.control = control
        self.parent = os.getppid()
        self.code: int | None = None
        self.wake, wake_up = os.pipe()
        os.set_blocking(wake_up, False)
        os.set_blocking(self.wake, False)
        self.told_to_end = False
        signal.set_wakeup_fd(wake_up, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        # Handlers, not SIG_IGN, which the server would inherit.
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.signal(signal.SIGHUP, lambda *_: None)
        signal.signal(signal.SIGTERM, self._end)
        # Python ignores SIGPIPE, which a program would inherit.
        self.pid = os.posix_spawnp(command[0], command, os.environ, setpgroup=0, setsigdef=[signal.SIGPIPE])
        # Held open here, the server's end of its streams would never be seen by the other side.
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)

    def _end(self, *_: object) -> None:
        self.told_to_end = True

    def watch(self) -> int:
        """Until the server has exited and its group is gone; returns the exit code, negative for a signal."""
        self.report(f"pid {self.pid}")
        while not self.exited() and not self.abandoned():
            self.pause(_LOOK)
        self.wait(self.exited, EOF_GRACE)
        if self.code is not None:
            self.report(f"exit {self.code}")
        self.end_group()
        if self.code is None:
            self.wait(self.exited, TERM_GRACE)
        return 0 if self.code is None else self.code

    def exited(self) -> bool:
        """Whether the server itself is gone."""
        if self.code is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def abandoned(self) -> bool:
        """Whether our side has closed the session or is gone."""
        if self.told_to_end or os.getppid() != self.parent:
            return True
        readable, _, _ = select.select([self.control], [], [], 0)
        return bool(readable) and not os.read(self.control, 64)

    def end_group(self) -> None:
        """SIGTERM, a little patience, SIGKILL, for whatever is left of the group."""
        if self.signalled(signal.SIGTERM) and not self.wait(self.group_gone, TERM_GRACE):
            self.signalled(signal.SIGKILL)

    def group_gone(self) -> bool:
        """Whether no process of the group is left."""
        self.exited()  # a dead server that nobody has reaped counts as present
        return not self.signalled(0)

    def signalled(self, number: int) -> bool:
        """Send a signal to the group; False when there is no group any more."""
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # somebody is left whom we may not signal
        return True

    def wait(self, over: Callable[[], bool], seconds: float) -> bool:
        """Wait for a condition, at most so many seconds."""
        deadline = time.monotonic() + seconds
        while not over():
            if time.monotonic() >= deadline:
                return False
            self.pause(0.02)
        return True

    def pause(self, seconds: float) -> None:
        """Sleep until a signal, word from our side, or the time."""
        listen = [self.wake] if self.told_to_end else [self.wake, self.control]
        with contextlib.suppress(InterruptedError):
            select.select(listen if seconds > 0.1 else [self.wake], [], [], seconds)
        with contextlib.suppress(BlockingIOError):
            os.read(self.wake, 64)

    def report(self, text: str) -> None:
        """Tell our side, if it is still there."""
        with contextlib.suppress(OSError):
            os.write(self.control, f"{text}\n".encode())


def main(words: list[str]) -> int:
    """Guard the command; returns an exit code that a shell would understand."""
    control, command = int(words[0]), words[1:]
    os.set_inheritable(control, False)
    try:
        guard = Guard(control, command)
    except OSError as error:
        os.write(control, f"error {error.strerror or error}\n".encode())
        return 127
    code = guard.watch()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Stands between us and a program and ends all that the program started when we are gone, however we went.

Run as ``python -I -S keeper.py FD LEAVE TERM GROUP COMMAND ARG…``. FD is one end of a socket pair: over it
the keeper reports ``pid N``, ``exit N`` or ``error TEXT``; its end of file means that our side is gone or
wants the program ended. LEAVE are the seconds that the program then has to leave by itself, TERM those after
SIGTERM. GROUP is a control group to run it in, or empty. The program has the keeper's standard streams all to
itself, so nothing is copied and nothing is slower. On Linux the keeper adopts what the program left behind,
so that a child in a session of its own is ended as well. Standard library only, few imports: it starts with
every program.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable

_LOOK = 1.0
# Seconds between looks at the parent: a forked child of it may hold the socket open after its death.
_KILL_LIMIT = 2.0
# Seconds in which killed processes must be gone; one that waits for a broken disk may not be.
_ADOPT = 36
# PR_SET_CHILD_SUBREAPER of prctl(2).


class Keeper:
    """One program that is kept."""

    def __init__(self, control: int, leave: float, term: float, group: str, command: list[str]) -> None:
        self.control = control
        self.leave_grace = leave
        self.term_grace = term
        self.parent = os.getppid()
        self.adopts = _adopt()
        self.group = _Group(group) if group else None
        self.code: int | None = None
        self.wake, wake_up = os.pipe()
        os.set_blocking(wake_up, False)
        os.set_blocking(self.wake, False)
        self.told_to_end = False
        signal.set_wakeup_fd(wake_up, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        # Handlers, not SIG_IGN, which the program would inherit.
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.signal(signal.SIGHUP, lambda *_: None)
        signal.signal(signal.SIGTERM, self._end)
        # Python ignores SIGPIPE, which a program would inherit.
        self.pid = os.posix_spawnp(command[0], command, os.environ, setpgroup=0, setsigdef=[signal.SIGPIPE])
        # Held open here, the program's end of its streams would never be seen by the other side.
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)

    def _end(self, *_: object) -> None:
        self.told_to_end = True

    def watch(self) -> int:
        """Until nothing of the program is left; returns its exit code, negative for a signal."""
        self.report(f"pid {self.pid}")
        while not self.exited() and not self.abandoned():
            self.pause(_LOOK)
        self.wait(self.exited, self.leave_grace)
        early = self.code
        if early is not None:
            self.report(f"exit {early}")
        self.end_all()
        self.wait(self.exited, _KILL_LIMIT)
        if early is None and self.code is not None:
            self.report(f"exit {self.code}")
        return 0 if self.code is None else self.code

    def exited(self) -> bool:
        """Whether the program itself is gone; reaps whatever has ended."""
        with contextlib.suppress(ChildProcessError):
            while True:
                done, status = os.waitpid(-1, os.WNOHANG)
                if not done:
                    break
                if done == self.pid:
                    self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def abandoned(self) -> bool:
        """Whether our side wants it ended or is gone."""
        if self.told_to_end or os.getppid() != self.parent:
            return True
        readable, _, _ = select.select([self.control], [], [], 0)
        return bool(readable) and not os.read(self.control, 64)

    def end_all(self) -> None:
        """SIGTERM, a little patience, SIGKILL, for whatever is left."""
        if self.signal_all(signal.SIGTERM) and not self.wait(self.all_gone, self.term_grace):
            self.signal_all(signal.SIGKILL)
            # What a killed process has started becomes ours only when that process is gone.
            self.wait(lambda: self.all_gone() or not self.signal_all(signal.SIGKILL), _KILL_LIMIT)
        if self.group is not None:
            self.group.leave()

    def all_gone(self) -> bool:
        """Whether no process is left."""
        self.exited()  # a dead process that nobody has reaped counts as present
        return not self.signal_all(0)

    def signal_all(self, number: int) -> bool:
        """Send a signal to the program's group and to what it left behind; False when nobody is there."""
        found = _sent(os.killpg, self.pid, number)
        for child in _children() if self.adopts else ():
            if _group_of(child) != self.pid:
                found = _sent(os.kill, child, number) or found
        return found

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


class _Group:
    """A control group that the keeper is in while it starts and keeps the program."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._join(folder)

    def leave(self) -> None:
        """Go back to the group above and take the empty one away."""
        with contextlib.suppress(OSError):
            self._join(os.path.dirname(self.folder))  # noqa: PTH120 - pathlib takes long to import
            os.rmdir(self.folder)  # noqa: PTH106

    @staticmethod
    def _join(folder: str) -> None:
        with open(f"{folder}/cgroup.procs", "w", encoding="ascii") as file:  # noqa: PTH123
            file.write("0")


def _adopt() -> bool:
    """Become the parent of everybody who loses theirs; False where the system has no such thing."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


def _children() -> list[int]:
    """The direct children of this process."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:  # noqa: PTH123
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def _sent(send: Callable[[int, int], None], target: int, number: int) -> bool:
    """Whether there was somebody to send a signal to."""
    try:
        send(target, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody is left whom we may not signal
    return True


def main(words: list[str]) -> int:
    """Keep the command; returns an exit code that a shell would understand."""
    control, leave, term, group = int(words[0]), float(words[1]), float(words[2]), words[3]
    os.set_inheritable(control, False)
    try:
        keeper = Keeper(control, leave, term, group, words[4:])
    except OSError as error:
        os.write(control, f"error {error.strerror or error}\n".encode())
        return 127
    code = keeper.watch()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What `exec` gives: how a program ended and how well it was shut in, with a text for a model."""

from __future__ import annotations

from dataclasses import dataclass

from tooldeck.core.parts import Answer, File
from tooldeck.guards.isolation import Isolation, Walls
from tooldeck.guards.process import signal_name
from tooldeck.guards.running import Finished, summed_up

__all__ = ["Ran", "ran"]

_WALLS = ("network", "files", "processes")


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended."""

    exit_code: int | None
    """Negative for a signal; None when nobody knows."""
    stdout: str
    stderr: str
    seconds: float
    ended: str
    """How it ended, in words."""
    stopped: str
    """Why it was ended before it was done: ``time``, ``output`` or ``disk``; empty when it was not."""
    isolation: Isolation
    """How it was shut in."""
    not_shut_out: tuple[str, ...]
    """What it was not kept from, of ``network``, ``files`` and ``processes``."""
    artifacts: tuple[File, ...] = ()
    """The files that it left in its folder."""
    left_out: tuple[str, ...] = ()
    """Why further files are not among them."""
    session: str = ""
    """What became of its session, in words."""

    @property
    def timed_out(self) -> bool:
        """Whether its time was over."""
        return self.stopped == "time"

    @property
    def signal(self) -> str:
        """The signal that ended it, such as ``SIGKILL``; empty for none."""
        return signal_name(-self.exit_code) if self.exit_code is not None and self.exit_code < 0 else ""

    def _tool_answer_(self) -> Answer:
        walls = f"sandbox: {self.isolation}"
        if self.not_shut_out:
            walls += f", no isolation of {', '.join(self.not_shut_out)}"
        lines = [f"[{self.ended}; {walls}]"]
        lines += [f"[{self.session}]"] if self.session else []
        lines += [self.stdout.rstrip("\n")] if self.stdout else []
        lines += [f"[stderr]\n{self.stderr.rstrip(chr(10))}"] if self.stderr else []
        lines += ["[no output]"] if not self.stdout and not self.stderr else []
        lines += [f"[file left: {file.name}, {len(file.data)} bytes]" for file in self.artifacts]
        lines += [f"[{reason}]" for reason in self.left_out]
        return Answer(self, "\n".join(lines), artifacts=self.artifacts)


def ran(
    finished: Finished,
    walls: Walls,
    artifacts: tuple[File, ...] = (),
    left_out: tuple[str, ...] = (),
    session: str = "",
) -> Ran:
    """The record of a run."""
    return Ran(
        finished.exit_code,
        finished.stdout.text,
        finished.stderr.text,
        finished.seconds,
        summed_up(finished),
        finished.stopped,
        walls.level,
        tuple(name for name in _WALLS if name not in walls.holds),
        artifacts,
        left_out,
        session,
    )

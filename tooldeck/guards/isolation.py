"""The words of the sandbox: how strongly a program is shut in, what it may see, what really holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

__all__ = ["Isolation", "View", "Walls", "at_least"]


class Isolation(StrEnum):
    """How strongly a program is shut in, weakest first."""

    NONE = "none"
    """A process group and a clean environment, nothing else."""
    RLIMITS = "rlimits"
    """Limits on what it uses; it sees and reaches what its user does."""
    LANDLOCK = "landlock"
    """Only some folders, no network, no signals to others (Landlock with seccomp)."""
    BUBBLEWRAP = "bubblewrap"
    """Namespaces of its own: it sees only some folders and its own processes, and no network is there."""


_ORDER = tuple(Isolation)


def at_least(level: Isolation, minimum: Isolation) -> bool:
    """Whether `level` is as strong as `minimum`."""
    return _ORDER.index(level) >= _ORDER.index(minimum)


@dataclass(frozen=True, slots=True)
class View:
    """What a program may see and change beside the system's own programs and libraries."""

    folder: Path
    """Its working folder, home and place for temporary files: it may do anything there."""
    read: tuple[Path, ...] = ()
    """Files and folders that it may read."""
    write: tuple[Path, ...] = ()
    """Files and folders that it may change."""
    shut: tuple[Path, ...] = ()
    """Places in them that it may only read; Landlock cannot do that."""
    start: Path | None = None
    """Where it is started; None: in `folder`."""


@dataclass(frozen=True, slots=True)
class Walls:
    """A kind of sandbox as it was found here, by trying it."""

    level: Isolation
    holds: frozenset[str] = frozenset()
    """What it really keeps a program from: ``network``, ``files``, ``processes``, ``signals``."""
    why_not: str = ""
    """Why it cannot be used here; empty when it can."""

    @property
    def usable(self) -> bool:
        """Whether programs can be run in it."""
        return not self.why_not

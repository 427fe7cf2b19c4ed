"""A control group that counts processes, where the system lets us make one.

Needed for root, whom no limit of processes binds; for other users it also counts exactly.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

__all__ = ["make_group", "remove_group"]

_ROOT = Path("/sys/fs/cgroup")
_OURS = 4
# Processes that are in the group beside those of the program: the keeper and what leads into the sandbox.


def make_group(processes: int) -> str:
    """The folder of a new group of at most so many processes; empty where none can be made."""
    for parent in _parents():
        folder = parent / f"tooldeck-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            folder.mkdir()
        except OSError:
            continue
        limit = folder / "pids.max"
        try:
            if limit.exists():
                limit.write_text(str(processes + _OURS))
                return str(folder)
        except OSError:
            pass
        remove_group(str(folder))
    return ""


def remove_group(folder: str) -> None:
    """Take a group away that nobody is in any more; its keeper has done so already as a rule."""
    with contextlib.suppress(OSError):
        Path(folder).rmdir()


def _parents() -> list[Path]:
    """Where our own group lies, in both versions of the interface."""
    found: list[Path] = []
    try:
        lines = Path("/proc/self/cgroup").read_text("ascii").splitlines()
    except OSError:
        return found
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "pids":
            found += [_ROOT / "pids" / path.strip("/"), _ROOT / "pids"]
        elif not controllers:
            found.append(_ROOT / path.strip("/"))
    return [place for place in found if os.access(place, os.W_OK)]

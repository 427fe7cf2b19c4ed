"""Which files of the workspace a program changed, so that they count as changes of the call that ran it.

Nobody hears what a program writes. So the files are looked at before and after, by their times and sizes;
what differs is written down like any other change of a tool. What a person saves in that very time is taken
for the program's as well, and kept by whatever goes back over it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.tools.folders.listing import below

__all__ = ["MOST_FILES", "program_writes"]

MOST_FILES = 5_000
"""In a workspace with more files nothing is looked at, and changes of programs count as somebody else's."""
MOST_BYTES = 4_000_000
"""Bytes of a changed file that are read."""

_Stamps = dict[str, tuple[int, int, int, int]]


@contextlib.asynccontextmanager
async def program_writes(workspace: Workspace) -> AsyncGenerator[None]:
    """While the block lasts a program may change files; at its end what has changed is written down."""
    before = await asyncio.to_thread(_stamps, workspace)
    try:
        yield
    finally:
        if before is not None:
            await asyncio.to_thread(_write_down, workspace, before)


def _stamps(workspace: Workspace) -> _Stamps | None:
    """What tells each file from a changed one; None where nobody hears of it, or of too many."""
    if workspace.watcher is None:
        return None
    found: _Stamps = {}
    with contextlib.suppress(PathRefused):
        for one in below(Workspace(workspace.root)):
            if not one.is_file:
                continue
            info = one.info
            found[one.path] = (info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino)
            if len(found) > MOST_FILES:
                return None
    return found


def _write_down(workspace: Workspace, before: _Stamps) -> None:
    after = _stamps(workspace)
    watcher = workspace.watcher
    if after is None or watcher is None:
        return
    unwatched = Workspace(workspace.root)
    for path in sorted({*before, *after}):
        if before.get(path) == after.get(path):
            continue
        data = None
        if path in after:
            try:
                data = unwatched.read(path, MOST_BYTES)
            except PathRefused:  # too long, or gone again
                continue
        watcher.wrote(path, data, made=path not in before, by_program=True)

"""The folder of one run: files that are given along, and files that are left there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from tooldeck.core.parts import File
from tooldeck.guards.paths import Workspace

__all__ = ["bring_in", "left_files"]

MOST_BYTES = 20_000_000
"""Bytes of files that are given along, and of files that are brought back."""
_MOST_FILES = 50
_TYPES = {
    ".csv": "text/csv", ".gif": "image/gif", ".html": "text/html", ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg", ".json": "application/json", ".md": "text/markdown", ".pdf": "application/pdf",
    ".png": "image/png", ".svg": "image/svg+xml", ".txt": "text/plain", ".webp": "image/webp",
}  # fmt: skip


def bring_in(folder: Path, workspace: Workspace, paths: Iterable[str]) -> dict[str, bytes]:
    """Copy files of the workspace into the folder, under their own paths; returns what they were."""
    brought: dict[str, bytes] = {}
    room = MOST_BYTES
    for path in paths:
        data = workspace.read(path, room)
        room -= len(data)
        where = workspace.relative(path)
        target = folder / where
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        brought[where] = data
    return brought


def left_files(folder: Path, known: Mapping[str, bytes]) -> tuple[tuple[File, ...], tuple[str, ...]]:
    """The new and changed files of a folder, and why others are left out. No link is followed."""
    found: list[File] = []
    left_out: list[str] = []
    room = MOST_BYTES
    for place, folders, names, handle in os.fwalk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        for name in sorted(names):
            where = os.path.relpath(f"{place}/{name}", folder)
            if name.startswith("."):
                continue
            if len(found) >= _MOST_FILES:
                return tuple(found), (*left_out, f"more than {_MOST_FILES} files were left")
            data = _read(name, handle, room)
            if data is None:
                left_out.append(f"not brought back: {where!r}, no plain file or too large")
                continue
            if known.get(where) == data:
                continue
            room -= len(data)
            kind = _TYPES.get(Path(name).suffix.lower(), "application/octet-stream")
            found.append(File(where, data, kind))
    return tuple(found), tuple(left_out[:_MOST_FILES])


def _read(name: str, folder: int, most: int) -> bytes | None:
    """The bytes of a plain file of at most `most` bytes; the program may have made any kind of thing."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(name, flags, dir_fd=folder)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > most:
            return None
        return file.read(most)

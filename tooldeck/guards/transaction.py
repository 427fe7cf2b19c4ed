"""Changing several files at once: all of them or none, also when the process is killed in between.

Before anything is changed, the old contents and then a plan are written below `PLACE`. While the plan is
there the work is not done, and whoever finds it under the lock puts the old contents back. Removing the
plan is the moment from which all files are changed. Whoever reads meanwhile waits these few milliseconds;
only while the new files are being looked at, which may take minutes, they are read as they are.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tooldeck.guards.walking import PathRefused, shown_path

if TYPE_CHECKING:
    from tooldeck.guards.paths import Workspace

__all__ = ["LEFT", "PLACE", "FileChange", "change_all", "put_back_all", "recover"]

PLACE = ".tooldeck/patches"
"""The folder of plans and old contents."""
LEFT = ".tooldeck/left"
"""The folder of old contents that could not be put back, since somebody else has changed the file."""
_PLAN = "plan.json"
_LOOKED_AT = "looked-at"
# Beside a plan while `accept` looks at the files.


class FileChange(NamedTuple):
    """What becomes of one file."""

    path: str
    before: bytes | None
    """None where there is no file yet."""
    after: bytes | None
    """None where there is no file any more."""
    mode: int | None = None
    """Other mode bits, or None for those that it has."""


def change_all(
    workspace: Workspace,
    make: Callable[[], Sequence[FileChange]],
    accept: Callable[[], None] | None = None,
) -> list[FileChange]:
    """Carry out what `make` says, which is asked under the lock; returns it.

    `accept` looks at the files as they are then, still under the lock, and raises where they shall not stay.
    Raises what `make` raises, and `PathRefused` where a file could not be changed or was not accepted; then
    all are as before.
    """
    with workspace.lock():
        changes = list(make())
        folder = f"{PLACE}/{secrets.token_hex(8)}"
        try:
            _prepare(workspace, folder, changes)
            for change in changes:
                _carry_out(workspace, change)
            if accept is not None:
                with workspace.at(f"{folder}/{_LOOKED_AT}", "own") as entry:
                    entry.write(b"")
                accept()
        except BaseException as error:
            _remove(workspace, f"{folder}/{_LOOKED_AT}")
            left = _put_back(workspace, folder)
            if not isinstance(error, Exception):
                raise
            state = "All files are as they were before."
            if left:
                state = f"These could not be put back: {', '.join(map(shown_path, left))}; see {LEFT}."
            raise PathRefused(f"{error} {state}") from error
        _forget(workspace, folder)
        return changes


def recover(workspace: Workspace, root: str) -> None:
    """Put back what a process that was killed had changed of several files; cheap where none was.

    `root` is the real path of the workspace. Waits while a living process changes several files. Raises
    `PathRefused` where it takes too long.
    """
    try:
        names = os.listdir(f"{root}/{PLACE}")  # noqa: PTH208 - on the way of every read
    except OSError:
        return
    if all(os.path.lexists(f"{root}/{PLACE}/{name}/{_LOOKED_AT}") for name in names):
        with contextlib.suppress(PathRefused), workspace.lock(0.0):  # else somebody lives and looks
            pass
    else:
        with workspace.lock():
            pass


def _prepare(workspace: Workspace, folder: str, changes: Sequence[FileChange]) -> None:
    files: list[dict[str, Any]] = []
    for place, change in enumerate(changes):
        kept = mode = None
        if change.before is not None:
            kept = f"{place}.old"
            with workspace.at(f"{folder}/{kept}", "own") as entry:
                entry.write(change.before)
            with workspace.at(change.path, "file") as entry:
                mode = entry.info.st_mode & 0o7777 if entry.info is not None else None
        files.append({"path": change.path, "kept": kept, "mode": mode, "after": _hash(change.after)})
    with workspace.at(f"{folder}/{_PLAN}", "own") as entry:
        entry.write(json.dumps(files).encode())


def _carry_out(workspace: Workspace, change: FileChange) -> None:
    with workspace.at(change.path, "changed") as entry:
        there = entry.read() if entry.info is not None else None
        if there != change.before:
            raise PathRefused(f"{shown_path(change.path)} was changed at this very moment.")
        if change.after is not None:
            entry.write(change.after, change.mode)
        elif entry.info is not None:
            entry.remove()


def put_back_all(workspace: Workspace) -> None:
    """Undo whatever was begun and is not done; only under the lock, so that nobody is still doing it."""
    folders = _plans(workspace)
    for folder in folders or ():
        _put_back(workspace, folder)
    if folders == []:
        _remove_folder(workspace, PLACE)


def _put_back(workspace: Workspace, folder: str) -> list[str]:
    """Undo what was done of a plan; returns the files that somebody else has changed since, left alone."""
    try:
        files = _read_plan(workspace.read(f"{folder}/{_PLAN}"))
    except (PathRefused, ValueError, RecursionError):  # never complete, or not ours: nothing had begun
        _forget(workspace, folder)
        return []
    left: list[str] = []
    for file in files:
        inside, _, name = str(file["path"]).rpartition("/")
        with contextlib.suppress(PathRefused), workspace.at(inside or ".", "folder") as entry:
            entry.remove_unfinished(name)
        try:
            old = None if file["kept"] is None else workspace.read(f"{folder}/{file['kept']}")
            _restore(workspace, file, old)
        except PathRefused:
            left.append(file["path"])
            _leave(workspace, folder, file)
    _forget(workspace, folder)
    return left


def _read_plan(data: bytes) -> list[dict[str, Any]]:
    """The files of a plan; raises `ValueError` where it is none that `_prepare` writes.

    The folder may have come with somebody else's files, so bits that lend a user's rights are not taken over.
    """
    files: Any = json.loads(data)
    if not isinstance(files, list):
        raise ValueError("A plan is a list.")  # noqa: TRY004 - what is read is wrong, not what is given
    for file in cast("list[Any]", files):
        match file:
            case {"path": str(), "kept": str() | None, "mode": int() | None as mode, "after": str() | None}:
                file["mode"] = None if mode is None else mode & 0o777
            case _:
                raise ValueError("A plan names files.")
    return cast("list[dict[str, Any]]", files)


def _leave(workspace: Workspace, folder: str, file: dict[str, Any]) -> None:
    """Keep the old contents of a file for a person, and nobody tries again."""
    if file["kept"] is None:
        return
    with contextlib.suppress(PathRefused):
        old = workspace.read(f"{folder}/{file['kept']}")
        with workspace.at(f"{LEFT}/{folder.rpartition('/')[2]}/{file['path']}", "own") as entry:
            entry.write(old)


def _restore(workspace: Workspace, file: dict[str, Any], old: bytes | None) -> None:
    there = workspace.before(file["path"])
    if there == old:
        return
    if _hash(there) != file["after"]:
        raise PathRefused(f"{shown_path(file['path'])} was changed by somebody else.")
    with workspace.at(file["path"], "changed") as entry:
        if old is not None:
            entry.write(old, file["mode"])
        else:
            entry.remove()


def _plans(workspace: Workspace) -> list[str] | None:
    """The folders of plans, finished or not; None where there is not even a place for them."""
    try:
        with workspace.at(PLACE, "folder") as entry:
            return [f"{PLACE}/{name}" for name in sorted(entry.names())]
    except PathRefused:
        return None


def _forget(workspace: Workspace, folder: str) -> None:
    """Take a plan away, and then what it needed."""
    _remove(workspace, f"{folder}/{_PLAN}")
    with contextlib.suppress(PathRefused):
        with workspace.at(folder, "folder") as entry:
            names = entry.names()
        for name in names:
            _remove(workspace, f"{folder}/{name}")
    for path in (folder, PLACE, ".tooldeck"):
        _remove_folder(workspace, path)


def _remove(workspace: Workspace, path: str) -> None:
    with contextlib.suppress(PathRefused), workspace.at(path, "own") as entry:
        if entry.info is not None:
            entry.remove()


def _remove_folder(workspace: Workspace, path: str) -> None:
    """Take a folder away that is empty."""
    with contextlib.suppress(PathRefused, OSError), workspace.at(path, "folder") as entry:
        entry.remove_folder()


def _hash(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()

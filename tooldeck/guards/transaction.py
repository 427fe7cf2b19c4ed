"""Changing several files at once: all of them or none, also when the process is killed in between.

Before anything is changed, the old contents and then a plan are written below `PLACE`. While the plan is
there the work is not done, and whoever finds it under the lock puts the old contents back. Removing the
plan is the moment from which all files are changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tooldeck.guards.walking import PathRefused, shown_path

if TYPE_CHECKING:
    from tooldeck.guards.paths import Workspace

__all__ = ["PLACE", "FileChange", "change_all", "recover"]

PLACE = ".tooldeck/patches"
"""The folder of plans and old contents."""
_PLAN = "plan.json"


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
        _put_back_all(workspace)
        changes = list(make())
        folder = f"{PLACE}/{secrets.token_hex(8)}"
        try:
            _prepare(workspace, folder, changes)
            for change in changes:
                _carry_out(workspace, change)
            if accept is not None:
                accept()
        except BaseException as error:
            left = _put_back(workspace, folder)
            if not isinstance(error, Exception):
                raise
            state = f"These could not be put back: {', '.join(map(shown_path, left))}." if left else (
                "All files are as they were before."
            )  # fmt: skip
            raise PathRefused(f"{error} {state}") from error
        _forget(workspace, folder)
        return changes


def recover(workspace: Workspace) -> None:
    """Put back what a process that was killed had changed of several files; does nothing where none was."""
    if _plans(workspace):
        with workspace.lock():
            _put_back_all(workspace)


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


def _put_back_all(workspace: Workspace) -> None:
    for folder in _plans(workspace):
        _put_back(workspace, folder)


def _put_back(workspace: Workspace, folder: str) -> list[str]:
    """Undo what was done of a plan; returns the files that somebody else has changed since, left alone."""
    try:
        files: list[dict[str, Any]] = json.loads(workspace.read(f"{folder}/{_PLAN}"))
    except (PathRefused, ValueError):  # it was never complete, so nothing had begun
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
    if not left:
        _forget(workspace, folder)
    else:  # the old contents stay for a person; the plan goes, so that nobody tries again
        _remove(workspace, f"{folder}/{_PLAN}")
    return left


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


def _plans(workspace: Workspace) -> list[str]:
    """The folders of plans, finished or not."""
    try:
        with workspace.at(PLACE, "folder") as entry:
            return [f"{PLACE}/{name}" for name in sorted(entry.names())]
    except PathRefused:
        return []


def _forget(workspace: Workspace, folder: str) -> None:
    """Take a plan away, and then what it needed."""
    _remove(workspace, f"{folder}/{_PLAN}")
    with contextlib.suppress(PathRefused):
        with workspace.at(folder, "folder") as entry:
            names = entry.names()
        for name in names:
            _remove(workspace, f"{folder}/{name}")
    for path in (folder, PLACE, ".tooldeck"):
        with contextlib.suppress(PathRefused, OSError), workspace.at(path, "folder") as entry:
            entry.remove_folder()


def _remove(workspace: Workspace, path: str) -> None:
    with contextlib.suppress(PathRefused), workspace.at(path, "own") as entry:
        if entry.info is not None:
            entry.remove()


def _hash(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()

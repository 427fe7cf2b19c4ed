"""The files of a workspace as they are, against those of a checkpoint; and the way back.

What a tool wrote last may be taken back. What anybody else changed since is left alone, unless it is forced.
"""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import FileChange, PathRefused, Workspace, shown_path
from tooldeck.store.checkpoints import Checkpoint, Checkpoints, Kept
from tooldeck.store.ledger import Ledger, Wrote
from tooldeck.tools.folders.listing import below

__all__ = ["Difference", "Plan", "Snapshot", "changed_paths", "plan", "put_back", "snapshot"]

MOST_BYTES = 4_000_000
"""Longer files are not kept."""
MOST_FILES = 5_000
"""Files that are kept at most, in the order of their paths."""
MOST_TOGETHER = 200_000_000
"""Bytes that they may have together."""
_SECRETS = (".env", ".env.*", "*.pem", "*.key", "id_rsa*", "id_ed25519*", "*.p12", ".netrc", ".pypirc")
"""Names of files that are not copied into a database."""


@dataclass(slots=True)
class Snapshot:
    """The files of one moment."""

    files: dict[str, Kept] = field(default_factory=dict[str, Kept])
    left_out: list[str] = field(default_factory=list[str])
    places: dict[str, str] = field(default_factory=dict[str, str])
    """A path of each hash."""


def snapshot(folder: str, cancel: CancelToken) -> Snapshot:
    """All files that git would not ignore, by their hashes; nobody watches this reading."""
    workspace, made, total = Workspace(folder), Snapshot(), 0
    for found in below(workspace, cancel=cancel):
        if not found.is_file:
            continue
        size = found.info.st_size
        fits = size <= MOST_BYTES and len(made.files) < MOST_FILES and total + size <= MOST_TOGETHER
        data = _read(workspace, found.path) if fits and not _is_secret(found.path) else None
        if data is None:
            made.left_out.append(found.path)
            continue
        total += len(data)
        digest = hashlib.sha256(data).hexdigest()
        made.files[found.path] = Kept(digest, found.info.st_mode & 0o7777)
        made.places[digest] = found.path
    return made


def _is_secret(path: str) -> bool:
    name = path.rpartition("/")[2].casefold()
    return any(fnmatch.fnmatch(name, pattern) for pattern in _SECRETS)


def _read(workspace: Workspace, path: str) -> bytes | None:
    try:
        return workspace.read(path, MOST_BYTES)
    except PathRefused:
        return None


class Difference(NamedTuple):
    """A file that is not as it was."""

    path: str
    was: Kept | None
    """None where it was not there."""
    now: str | None
    """Its hash; None where it is not there any more."""
    by: str
    """The tool that made it what it is; empty where that was somebody else."""
    unkept: bool = False
    """Whether nobody knows what it was: it was there, or somebody else made it, before a tool changed it."""


def changed_paths(
    checkpoint: Checkpoint, kept: Mapping[str, Kept], ledger: Ledger, folder: str
) -> Iterator[Difference]:
    """The files of the checkpoint, and those that tools have made since, which are not as they were."""
    workspace = Workspace(folder)
    writes: dict[str, list[Wrote]] = {}
    for one in ledger.since(folder, checkpoint.last_write):
        writes.setdefault(one.path, []).append(one)
    for path in sorted({*kept, *writes}):
        was, since = kept.get(path), writes.get(path, [])
        try:
            data = workspace.before(path, None)
        except PathRefused:
            yield Difference(path, was, "unreadable", "")
            continue
        now = None if data is None else hashlib.sha256(data).hexdigest()
        if now == (was.digest if was is not None else None):
            continue
        by = since[-1].tool or "a tool" if since and since[-1].digest == now else ""
        yield Difference(path, was, now, by, unkept=was is None and not since[0].made)


@dataclass(slots=True)
class Plan:
    """What taking the files back comes to."""

    restore: list[str] = field(default_factory=list[str])
    """Files that get their old contents again."""
    remove: list[str] = field(default_factory=list[str])
    """Files that tools made since."""
    others: list[str] = field(default_factory=list[str])
    """Files that somebody else changed since."""
    unkept: list[str] = field(default_factory=list[str])
    """Files that tools changed since, of which no older state is kept."""


def plan(differences: Iterable[Difference], *, force: bool) -> Plan:
    """Sort the differences; with `force`, what others changed is restored as well."""
    made = Plan()
    for one in differences:
        if one.unkept:
            made.unkept.append(one.path)
        elif not one.by and not (force and one.was is not None and one.now != "unreadable"):
            made.others.append(one.path)
        elif one.was is None:
            made.remove.append(one.path)
        else:
            made.restore.append(one.path)
    return made


def put_back(
    workspace: Workspace, table: Checkpoints, kept: Mapping[str, Kept], decide: Callable[[], Plan]
) -> Plan:
    """Carry out what `decide` says of the files as they are under the lock: all of it or nothing.

    Raises what `decide` raises, and `PathRefused` where a file changes at this very moment.
    """
    decided = Plan()

    def changes() -> list[FileChange]:
        nonlocal decided
        decided = decide()
        made = [FileChange(path, workspace.before(path), None) for path in decided.remove]
        for path in decided.restore:
            content = table.content(kept[path].digest)
            if content is None:
                raise ExpectedError(f"The old contents of {shown_path(path)} are not kept any more.")
            made.append(FileChange(path, workspace.before(path), content, kept[path].mode))
        return made

    workspace.change_all(changes)
    return decided

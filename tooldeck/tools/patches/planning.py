"""What a patch does to each file of a workspace, worked out before anything is changed."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from tooldeck.guards.paths import FileChange, Workspace
from tooldeck.guards.walking import NoFolder
from tooldeck.tools.patches.placing import Fuzz, Placed, patched
from tooldeck.tools.patches.reading import read_patch
from tooldeck.tools.patches.records import BadPatch, FilePatch
from tooldeck.tools.texts.changes import expected
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import NotText, decode, digest, fresh
from tooldeck.tools.texts.faults import fault

__all__ = ["PatchedFile", "planned_files"]

MOST_BYTES = 20_000_000
"""Longer files are not patched."""


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """What a patch does to one file."""

    path: str
    status: str
    """``A`` added, ``M`` changed, ``D`` deleted, ``R`` moved, ``C`` copied, ``=`` as it is."""
    old_path: str = ""
    hunks: tuple[Placed, ...] = ()
    before: str | None = None
    """The hash before; None where there was no file."""
    after: str | None = None
    """The hash after; None where there is no file any more."""
    warning: str = ""
    """What a person should know, such as that the file cannot be parsed any more."""
    diff: str = ""

    def __str__(self) -> str:
        moved = f"{self.old_path} -> " if self.old_path else ""
        notes = [f"line {one.line}{_about(one)}" for one in self.hunks if _about(one)]
        hash_ = f", hash {self.after}" if self.after is not None else ""
        tail = f" ({'; '.join(notes)})" if notes else ""
        warning = f"\n  warning: {self.warning}" if self.warning else ""
        return f"{self.status} {moved}{self.path}{hash_}{tail}{warning}"


def planned_files(
    workspace: Workspace, patch: str, expect_hashes: Mapping[str, str] | None, fuzz: Fuzz
) -> list[tuple[PatchedFile, list[FileChange]]]:
    """What happens to every file. Raises `BadPatch` and `PathRefused`; changes nothing."""
    files = read_patch(patch)
    names = _Names(workspace)
    hashes = {names.real(path): hash_ for path, hash_ in (expect_hashes or {}).items()}
    planned: list[tuple[PatchedFile, list[FileChange]]] = []
    leaving = {names.real(file.path) for file in files if _leaves(file)}
    for file in files:
        path = names.claim(file.path) if not file.copy else names.real(file.path)
        before = expected(workspace.before(path, MOST_BYTES), path, hashes.pop(path, None))
        target = names.claim(file.new_path) if file.new_path and names.real(file.new_path) != path else path
        if target != path and target not in leaving and workspace.before(target, MOST_BYTES) is not None:
            raise BadPatch(f"{path!r} cannot become {target!r}, since there is such a file already.")
        planned.append(_file(workspace, file, (path, target), before, fuzz))
    if hashes:
        raise BadPatch(f"A hash is given for {next(iter(hashes))!r}, which the patch does not change.")
    return planned


def _leaves(file: FilePatch) -> bool:
    return file.kind == "delete" or (bool(file.new_path) and not file.copy)


class _Names:
    """The real paths of the files of one patch, each in one section only."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._claimed: set[str] = set()

    def real(self, path: str) -> str:
        try:
            return self._workspace.relative(path)
        except NoFolder:
            return posixpath.normpath(path)

    def claim(self, path: str) -> str:
        real = self.real(path)
        if real in self._claimed:
            raise BadPatch(f"The patch has two sections for {real!r}; put them into one.")
        self._claimed.add(real)
        return real


def _file(
    workspace: Workspace, file: FilePatch, names: tuple[str, str], before: bytes | None, fuzz: Fuzz
) -> tuple[PatchedFile, list[FileChange]]:
    path, target = names
    if file.kind == "add":
        return _added(file, path, before)
    if before is None:
        raise BadPatch(f"There is no file {path!r}, which the patch changes or deletes.")
    if file.kind == "delete":
        _check_whole(file, path, before)
        gone = PatchedFile(path, "D", before=digest(before), diff=unified(_text(before, path), None, path))
        return gone, [FileChange(path, before, None)]
    after, placed = before, list[Placed]()
    if file.hunks:
        document, placed = patched(decode(before, path), file.hunks, path, fuzz)
        after = document.encode()
    if path == target:
        status = "M" if after != before or file.mode is not None else "="
        changes = [FileChange(path, before, after, file.mode)]
    else:
        with workspace.at(path, "file") as entry:
            bits = None if entry.info is None else entry.info.st_mode & 0o777
        status = "C" if file.copy else "R"
        changes = [FileChange(target, None, after, file.mode or bits)]
        changes += [] if file.copy else [FileChange(path, before, None)]
    diff = unified(_text(before, path), _text(after, path), path, target)
    return PatchedFile(
        target, status, path if path != target else "", tuple(placed), digest(before), digest(after),
        _warning(target, before, after), diff,
    ), changes  # fmt: skip


def _added(file: FilePatch, path: str, before: bytes | None) -> tuple[PatchedFile, list[FileChange]]:
    lines = [line for hunk in file.hunks for line in hunk.new]
    open_end = bool(file.hunks) and file.hunks[-1].new_open
    text = "\n".join(lines) + ("\n" if lines and not open_end else "")
    after = fresh(text).encode()
    if any(hunk.old for hunk in file.hunks):
        raise BadPatch(f"The patch makes {path!r} anew, and yet speaks of lines that it has.")
    if before is not None and before != after:
        raise BadPatch(f"The patch makes {path!r} anew, and there is such a file already.")
    status = "A" if before is None else "="
    made = PatchedFile(
        path, status, before=None if before is None else digest(before), after=digest(after),
        warning=_warning(path, b"", after), diff=unified(None, text, path),
    )  # fmt: skip
    return made, [FileChange(path, before, after, file.mode)]


def _check_whole(file: FilePatch, path: str, before: bytes) -> None:
    """A diff that deletes a file has all of its lines, and they have to be these."""
    if file.hunks and [line for hunk in file.hunks for line in hunk.old] != decode(before, path).lines:
        raise BadPatch(f"The patch deletes {path!r}, whose lines are others by now; read it again.")


def _text(data: bytes, path: str) -> str:
    """The text for a diff; what is no text is told by its size."""
    try:
        return decode(data, path).text
    except NotText:
        return f"[{len(data)} bytes]\n"


def _warning(path: str, before: bytes, after: bytes) -> str:
    """What is wrong with the new text of a known kind, where the old one was right."""
    was, now = fault(path, before), fault(path, after)
    return f"{path} cannot be parsed any more: {now}" if now and not was else ""


def _about(placed: Placed) -> str:
    """What is worth telling of a hunk."""
    if placed.already:
        return ": was there already"
    offset = (
        f", {abs(placed.offset)} lines further {'down' if placed.offset > 0 else 'up'}"
        if placed.offset
        else ""
    )
    return offset + (f", {placed.liberty}" if placed.liberty else "")

"""apply_patch: change files by a unified diff or a ``*** Begin Patch`` envelope, all of them or none."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.parts import Answer
from tooldeck.guards.paths import FileChange, Workspace
from tooldeck.guards.walking import NoFolder
from tooldeck.hosts.background import background
from tooldeck.tools.checking.checks import Kind, Wanted, run_checks
from tooldeck.tools.checking.records import Report, Standing
from tooldeck.tools.patches.placing import Fuzz, Placed, patched
from tooldeck.tools.patches.reading import read_patch
from tooldeck.tools.patches.records import BadPatch, FilePatch
from tooldeck.tools.texts.changes import expected
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import NotText, decode, digest, fresh
from tooldeck.tools.texts.faults import fault
from tooldeck.tools.texts.snapshots import snapshots_of

__all__ = ["Patched", "PatchedFile", "apply_patch"]

MOST_BYTES = 20_000_000
"""Longer files are not patched."""

apply_patch = ActionTool(
    "apply_patch",
    "Change files of the workspace by a patch: a unified diff, with or without headers of git, or the form "
    "from *** Begin Patch to *** End Patch. All files are changed, or none.",
    executor=background(),
    max_chars=60_000,
)

PatchText = Annotated[str, Field(description="The patch.")]
Hashes = Annotated[
    dict[str, str] | None,
    Field(description="By path, the hash that a read showed: nothing is changed where a file has another."),
]
FuzzOf = Annotated[
    Fuzz,
    Field(
        description="What may differ where lines are not found: nothing, blanks and typographic characters, "
        "or also lines of context at the edges of a hunk."
    ),
]
_ENVELOPE = """*** Begin Patch
*** Update File: src/lamp.py
@@ def off() -> str:
-    return "off"
+    return "dark"
*** End Patch"""
_DIFF = """--- a/README.md
+++ b/README.md
@@ -1,3 +1,3 @@
 # Lamp
-
-Turns a lamp on and off.
+
+Turns lamps on and off.
--- /dev/null
+++ b/notes/new.txt
@@ -0,0 +1 @@
+bright
"""


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


@dataclass(frozen=True, slots=True)
class Patched:
    """What a patch does, or would do."""

    files: tuple[PatchedFile, ...]
    done: bool
    """False where it was only looked at."""
    report: Report | None = None
    """What the checks told, where there were some."""

    def _tool_answer_(self) -> Answer:
        head = "Applied:" if self.done else "Would apply:"
        checks = [str(self.report)] if self.report is not None else []
        return Answer(self, "\n".join([head, *map(str, self.files), *checks]))


@apply_patch.action(effects="read", examples=[{"patch": _DIFF}, {"patch": _ENVELOPE, "fuzz": "exact"}])
async def check(
    patch: PatchText,
    *,
    workspace: Injected[Workspace],
    expect_hashes: Hashes = None,
    fuzz: FuzzOf = "whitespace",
) -> Patched:
    """Say what a patch would do to each file, without doing it."""
    planned = await asyncio.to_thread(_planned, workspace, patch, expect_hashes, fuzz)
    return Patched(tuple(file for file, _ in planned), done=False)


def _preview(patch: str, expect_hashes: Mapping[str, str] | None, fuzz: Fuzz, workspace: Workspace) -> str:
    planned = _planned(workspace, patch, expect_hashes, fuzz)
    return "".join(file.diff or f"{file}\n" for file, _ in planned)


@apply_patch.action(
    effects="read,write", preview=_preview, examples=[{"patch": _DIFF}, {"patch": _ENVELOPE, "fuzz": "exact"}]
)
async def apply(
    patch: PatchText,
    *,
    workspace: Injected[Workspace],
    expect_hashes: Hashes = None,
    fuzz: FuzzOf = "whitespace",
) -> Patched:
    """Apply a patch to all of its files, or to none where one of them does not fit.

    Hunks are put where their lines stand, wherever that is by now; line numbers only choose between places
    that are equal. What the file has already is told and left alone.
    """
    return await asyncio.to_thread(_applied, workspace, patch, expect_hashes, fuzz)


@apply_patch.action(
    effects="read,write,execute",
    preview=_preview,
    examples=[{"patch": _ENVELOPE, "verify": ["lint"], "paths": ["src"]}],
)
async def apply_verified(
    patch: PatchText,
    *,
    workspace: Injected[Workspace],
    context: Injected[ToolContext],
    verify: Annotated[
        tuple[Kind, ...],
        Field(
            min_length=1,
            description="What has to pass, as the tool verify checks it, for the change to stay.",
        ),
    ],
    paths: Annotated[
        tuple[str, ...], Field(description="Check only these files or folders; none for the whole project.")
    ] = (),
    baseline: Annotated[
        Literal["none", "compare"], Field(description="compare: findings that verify has saved do not count.")
    ] = "none",
    timeout: Annotated[float, Field(gt=0, le=1800, description="Seconds for each check.")] = 300.0,
    expect_hashes: Hashes = None,
    fuzz: FuzzOf = "whitespace",
) -> Patched:
    """Apply a patch, check the project, and take the patch back where a check does not pass.

    The files come back from copies made before, whatever else was changed in the repository; also when this
    process is killed meanwhile, as soon as the workspace is next used. Other changes wait.
    """
    wanted = Wanted(verify, ".", paths, "", "", baseline, timeout)
    loop = asyncio.get_running_loop()
    reports: list[Report] = []

    def accept() -> None:
        checks = run_checks(workspace, context.deck.policy.isolation, wanted)
        report = asyncio.run_coroutine_threadsafe(checks, loop).result()
        reports.append(report)
        if report.status is not Standing.PASSED:
            raise ExpectedError(
                f"The patch was applied and taken back, since the checks did not pass.\n{report}\n"
            )

    done = await asyncio.to_thread(_applied, workspace, patch, expect_hashes, fuzz, accept)
    return replace(done, report=reports[0])


def _applied(
    workspace: Workspace,
    patch: str,
    expect_hashes: Mapping[str, str] | None,
    fuzz: Fuzz,
    accept: Callable[[], None] | None = None,
) -> Patched:
    done: list[tuple[PatchedFile, list[FileChange]]] = []

    def make() -> list[FileChange]:
        done[:] = _planned(workspace, patch, expect_hashes, fuzz)
        return [change for _, changes in done for change in changes]

    for change in workspace.change_all(make, accept):
        if change.after is not None:
            snapshots_of(workspace).keep(change.path, change.after)
    return Patched(tuple(file for file, _ in done), done=True)


def _planned(
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

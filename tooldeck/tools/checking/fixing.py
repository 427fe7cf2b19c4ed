"""What ruff can mend by itself: each file through its standard input, so that the program writes nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tooldeck.core.errors import ExpectedError
from tooldeck.core.parts import Answer
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.paths import FileChange, PathRefused, Workspace
from tooldeck.guards.programs import find_program
from tooldeck.guards.running import MIB, Finished, Limits, summed_up
from tooldeck.tools.checking.programs import Place, place_in
from tooldeck.tools.checking.reading import ruff_findings
from tooldeck.tools.checking.records import MOST_FINDINGS, Finding
from tooldeck.tools.texts.changes import expected
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import decode, digest
from tooldeck.tools.texts.faults import fault
from tooldeck.tools.texts.snapshots import snapshots_of

__all__ = [
    "Fixed",
    "FixedFile",
    "WantedFixes",
    "carry_out_fixes",
    "findings_below",
    "findings_of",
    "plan_fixes",
]

MOST_BYTES = 20_000_000
_LIMITS = Limits(seconds=60.0, kept=48 * MIB, output=64 * MIB, processes=64)


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file whose findings were mended."""

    path: str
    hash: str
    fixed: tuple[tuple[str, int], ...]
    """The codes of the findings that are gone, each with their number."""
    diff: str

    def __str__(self) -> str:
        codes = ", ".join(f"{code} ({count})" if count > 1 else code for code, count in self.fixed)
        return f"{self.path}: fixed {codes or 'what the findings led to'}; hash {self.hash}"


@dataclass(frozen=True, slots=True)
class Fixed:
    """What was mended, and what is left."""

    files: tuple[FixedFile, ...]
    left: tuple[Finding, ...]
    """Findings of now, the first `MOST_FINDINGS` by place."""
    left_in_all: int
    tool: str

    def _tool_answer_(self) -> Answer:
        head = f"{self.tool}: {len(self.files)} files changed, {self.left_in_all} findings are left"
        lines = [head, *map(str, self.files), *(f"left: {one}" for one in self.left[:20])]
        if not self.files:
            lines[0] = f"{self.tool}: nothing that it can fix by itself; {self.left_in_all} findings are left"
        return Answer(self, "\n".join(lines))


class WantedFixes(NamedTuple):
    """What is to be mended."""

    paths: Sequence[str]
    codes: Sequence[str] = ()
    """Only findings of these codes; empty for all."""
    unsafe: bool = False
    """Also by changes that ruff calls unsafe."""
    expect_hashes: Mapping[str, str] | None = None


class Planned(NamedTuple):
    """What would be mended."""

    changes: list[FileChange]
    files: list[FixedFile]
    left: list[Finding]
    tool: str


async def findings_of(place: Place, path: str, data: bytes, options: Sequence[str] = ()) -> list[Finding]:
    """What ruff finds in these bytes of a file. Raises `SetupError` without it, `ExpectedError`."""
    done = await _ruff(place, ["check", "--output-format", "json", "--no-fix", *options], path, data)
    return _read(place, done)


async def findings_below(place: Place, paths: Sequence[str], options: Sequence[str] = ()) -> list[Finding]:
    """What ruff finds in files and folders as they are. Raises like `findings_of`."""
    program = find_program("ruff", place.env)
    words = [program, "check", "--output-format", "json", "--no-cache", "--no-fix", *options, "--"]
    return _read(place, await place.run([*words, *(f"./{path}" for path in paths or ["."])]))


async def plan_fixes(workspace: Workspace, minimum: Isolation, wanted: WantedFixes) -> Planned:
    """What ruff would change; changes nothing. Raises `SetupError`, `ExpectedError` and `PathRefused`."""
    hashes = {workspace.relative(path): hash_ for path, hash_ in (wanted.expect_hashes or {}).items()}
    names = [workspace.relative(path) for path in wanted.paths]
    options = [f"--select={','.join(wanted.codes)}"] if wanted.codes else []
    unsafe = ["--unsafe-fixes"] if wanted.unsafe else []
    async with place_in(workspace, minimum, _LIMITS) as place:
        found = await findings_below(place, names, options)
        version = await place.version(find_program("ruff", place.env))
        planned = Planned([], [], [], f"ruff {version}".strip())
        for path in sorted({one.path for one in found}):
            before = expected(workspace.before(path, MOST_BYTES), path, hashes.get(path))
            if before is None:
                continue
            after = (await _ruff(place, ["check", "--fix-only", *options, *unsafe], path, before)).stdout.data
            old = [one for one in found if one.path == path]
            if after and after != before:
                new = await findings_of(place, path, after, options)
                planned.files.append(_file(path, before, after, old, new))
                planned.changes.append(FileChange(path, before, after))
                old = new
            planned.left.extend(old)
    return planned


def carry_out_fixes(workspace: Workspace, planned: Planned) -> Fixed:
    """Change all files that are planned, or none where one of them is another by now (`PathRefused`)."""

    def make() -> list[FileChange]:
        for change in planned.changes:
            if workspace.before(change.path, MOST_BYTES) != change.before:
                raise PathRefused(f"{change.path!r} was changed meanwhile; nothing was fixed, so try again.")
        return planned.changes

    if planned.changes:
        for change in workspace.change_all(make):
            snapshots_of(workspace).keep(change.path, change.after or b"")
    left = sorted(planned.left, key=lambda one: (one.path, one.cell or 0, one.line, one.column))
    return Fixed(tuple(planned.files), tuple(left[:MOST_FINDINGS]), len(left), planned.tool)


def _file(path: str, before: bytes, after: bytes, old: list[Finding], new: list[Finding]) -> FixedFile:
    wrong = fault(path, after)
    if wrong and not fault(path, before):
        raise ExpectedError(f"What ruff makes of {path!r} does not parse ({wrong}); nothing was changed.")
    gone = Counter(one.code for one in old) - Counter(one.code for one in new)
    diff = unified(decode(before, path).text, decode(after, path).text, path)
    return FixedFile(path, digest(after), tuple(sorted(gone.items())), diff)


async def _ruff(place: Place, words: list[str], path: str, data: bytes) -> Finished:
    program = find_program("ruff", place.env)
    command = [program, *words, "--no-cache", "--stdin-filename", path, "-"]
    done = await place.run(command, data)
    if done.stopped or done.stdout.left_out or done.exit_code not in {0, 1}:
        said = (done.stderr.text.strip().splitlines() or [""])[-1]
        raise ExpectedError(f"ruff could not check {path!r} ({summed_up(done)}): {said[:300]}")
    return done


def _read(place: Place, done: Finished) -> list[Finding]:
    try:
        return ruff_findings(done.stdout.data, place.root)
    except (json.JSONDecodeError, KeyError, TypeError):
        said = (done.stderr.text.strip().splitlines() or ["nothing"])[-1]
        raise ExpectedError(f"The output of ruff cannot be read ({summed_up(done)}): {said[:300]}") from None

"""apply_patch: change files by a unified diff or a ``*** Begin Patch`` envelope, all of them or none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.parts import Answer
from tooldeck.guards.paths import FileChange, Workspace
from tooldeck.hosts.background import background
from tooldeck.tools.checking.checks import Kind, Wanted, run_checks
from tooldeck.tools.checking.records import Report, Standing
from tooldeck.tools.patches.placing import Fuzz
from tooldeck.tools.patches.planning import PatchedFile, planned_files
from tooldeck.tools.texts.snapshots import snapshots_of

__all__ = ["Patched", "PatchedFile", "apply_patch"]

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
    planned = await asyncio.to_thread(planned_files, workspace, patch, expect_hashes, fuzz)
    return Patched(tuple(file for file, _ in planned), done=False)


def _preview(patch: str, expect_hashes: Mapping[str, str] | None, fuzz: Fuzz, workspace: Workspace) -> str:
    planned = planned_files(workspace, patch, expect_hashes, fuzz)
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
        done[:] = planned_files(workspace, patch, expect_hashes, fuzz)
        return [change for _, changes in done for change in changes]

    for change in workspace.change_all(make, accept):
        if change.after is not None:
            snapshots_of(workspace).keep(change.path, change.after)
    return Patched(tuple(file for file, _ in done), done=True)

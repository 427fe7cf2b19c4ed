"""verify: linters, type checkers, tests and npm scripts, read through their machine formats.

What was skipped has not passed, and where nothing was checked nothing is known. Everything runs in the
sandbox and sees the workspace without changing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.guards.paths import Workspace
from tooldeck.hosts.background import background
from tooldeck.tools.checking.checks import Kind, Wanted, run_checks
from tooldeck.tools.checking.fixing import Fixed, WantedFixes, carry_out_fixes, plan_fixes
from tooldeck.tools.checking.records import Report

__all__ = ["verify"]

verify = ActionTool(
    "verify",
    "Check a project of the workspace: lint, types, tests, npm scripts; mend what the linter can.",
    executor=background(),
    effects="read,write,execute",
    trust="untrusted",
    max_chars=40_000,
)


@verify.action(examples=[{"checks": ["lint"]}, {"checks": ["lint"], "paths": ["src"], "baseline": "save"}])
async def run(
    *,
    context: Injected[ToolContext],
    workspace: Injected[Workspace],
    checks: Annotated[
        tuple[Kind, ...],
        Field(min_length=1, description="What to check; npm runs the scripts lint, typecheck, test, build."),
    ] = ("lint", "types", "tests"),
    directory: Annotated[str, Field(description="The folder of the project.")] = ".",
    paths: Annotated[
        tuple[str, ...],
        Field(description="Only these files or folders, from the project on; a test may follow two colons."),
    ] = (),
    pattern: Annotated[str, Field(description="Only tests whose names fit (pytest's -k).")] = "",
    types: Annotated[
        Literal["", "basedpyright", "mypy", "ty"],
        Field(description="The type checker; empty for the one that the project configures."),
    ] = "",
    baseline: Annotated[
        Literal["none", "save", "compare"],
        Field(description="Keep the findings, or tell only those that were not kept."),
    ] = "none",
    timeout: Annotated[float, Field(gt=0, le=1800, description="Seconds for each check.")] = 300.0,
) -> Report:
    """Run checks and tell their findings with places."""
    wanted = Wanted(checks, directory, paths, pattern, types, baseline, timeout)
    return await run_checks(workspace, context.deck.policy.isolation, wanted)


Hashes = Annotated[
    dict[str, str] | None,
    Field(description="By path, the hash that was shown: nothing is changed where a file has another."),
]


async def _fix_preview(
    *,
    paths: tuple[str, ...],
    codes: tuple[str, ...],
    unsafe: bool,
    expect_hashes: Mapping[str, str] | None,
    workspace: Workspace,
    context: ToolContext,
) -> str:
    wanted = WantedFixes(paths, codes, unsafe, expect_hashes)
    planned = await plan_fixes(workspace, context.deck.policy.isolation, wanted)
    return "".join(one.diff for one in planned.files) or "nothing changes"


@verify.action(
    effects="read,write",
    preview=_fix_preview,
    preview_within=60.0,
    examples=[{}, {"paths": ["src"], "codes": ["F401"]}],
)
async def fix(
    *,
    context: Injected[ToolContext],
    workspace: Injected[Workspace],
    paths: Annotated[
        tuple[str, ...], Field(description="Only these files or folders; none for the whole workspace.")
    ] = (),
    codes: Annotated[
        tuple[str, ...], Field(description="Only findings of these codes of ruff, such as F401.")
    ] = (),
    unsafe: Annotated[bool, Field(description="Also by changes that ruff calls unsafe.")] = False,
    expect_hashes: Hashes = None,
) -> Fixed:
    """Mend what ruff can mend by itself, in files and notebooks, and tell what changed and what is left.

    All files are changed, or none where one of them is changed by others meanwhile.
    """
    wanted = WantedFixes(paths, codes, unsafe, expect_hashes)
    planned = await plan_fixes(workspace, context.deck.policy.isolation, wanted)
    return carry_out_fixes(workspace, planned)

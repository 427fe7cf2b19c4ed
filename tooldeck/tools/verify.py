"""verify: linters, type checkers, tests and npm scripts, read through their machine formats.

What was skipped has not passed, and where nothing was checked nothing is known. Everything runs in the
sandbox and sees the workspace without changing it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.paths import Workspace
from tooldeck.guards.running import Limits
from tooldeck.hosts.background import background
from tooldeck.tools.checking.baseline import load_baseline, new_findings, save_baseline
from tooldeck.tools.checking.programs import (
    Place,
    npm_scripts,
    place_in,
    run_npm,
    run_pytest,
    run_static,
    type_checker,
)
from tooldeck.tools.checking.records import MOST_FINDINGS, Check, Report, Standing, together

__all__ = ["verify"]

MIB = 1024 * 1024
Kind = Literal["lint", "types", "tests", "npm"]

verify = ActionTool(
    "verify",
    "Check a project of the workspace: lint, types, tests, npm scripts.",
    executor=background(),
    effects="read,write,execute",
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
    chosen = tuple(_path(workspace, directory, path) for path in paths)
    before = load_baseline(workspace) if baseline == "compare" else None
    limits = Limits(seconds=timeout, kept=16 * MIB, output=64 * MIB, disk=512 * MIB, processes=256)
    done: list[Check] = []
    level = Isolation.NONE
    for kind in dict.fromkeys(checks):
        async with place_in(workspace, context.deck.policy.isolation, limits, directory) as place:
            level = place.walls.level
            done += await _checked(kind, place, chosen, pattern, types)
    if baseline == "save":
        save_baseline(workspace, ((check.tool, finding) for check in done for finding in check.findings))
    if before is not None:
        done = [_against(before, check) for check in done]
    cut = (replace(check, findings=check.findings[:MOST_FINDINGS]) for check in done)
    return Report(together(done), tuple(cut), level)


async def _checked(kind: Kind, place: Place, paths: tuple[str, ...], pattern: str, types: str) -> list[Check]:
    if kind == "lint":
        return [await run_static(place, "lint", "ruff", paths)]
    if kind == "types":
        return [await run_static(place, "types", types or type_checker(place), paths)]
    if kind == "tests":
        return [await run_pytest(place, paths, pattern)]
    scripts = npm_scripts(place.root)
    if not scripts:
        return [Check("npm", "npm", Standing.SKIPPED, note="package.json has none of the usual scripts")]
    return [await run_npm(place, script) for script in scripts]


def _path(workspace: Workspace, directory: str, path: str) -> str:
    """A path as programs take it: no option, and nothing outside."""
    file, colons, test = path.partition("::")
    workspace.relative(f"{directory}/{file}")
    if Path(file).is_absolute():
        raise ExpectedError(f"The path {file!r} is absolute; give it from the folder of the project on.")
    return f"./{file}{colons}{test}"


def _against(before: Counter[str], check: Check) -> Check:
    """The check with the findings that are new only; it has passed where there are none."""
    new = new_findings(before, check.tool, check.findings)
    known = len(check.findings) - len(new)
    if check.status is not Standing.FAILED or not known:
        return check
    errors = sum(one.severity == "error" for one in new)
    status = Standing.FAILED if new else Standing.PASSED
    return replace(
        check, status=status, known=known, findings=tuple(new), errors=errors, warnings=len(new) - errors
    )

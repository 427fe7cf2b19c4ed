"""Several checks of a project, one after the other; for `verify`, and for changes that must pass them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.paths import Workspace
from tooldeck.guards.running import MIB, Limits
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

__all__ = ["Kind", "Wanted", "run_checks"]

Kind = Literal["lint", "types", "tests", "npm"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be checked, and how."""

    kinds: Sequence[Kind]
    directory: str = "."
    paths: Sequence[str] = ()
    pattern: str = ""
    types: str = ""
    baseline: Literal["none", "save", "compare"] = "none"
    timeout: float = 300.0
    """Seconds for each check."""


async def run_checks(workspace: Workspace, minimum: Isolation, wanted: Wanted) -> Report:
    """Run the checks in a sandbox that is `minimum` at least. Raises `SetupError`, `ExpectedError`."""
    chosen = tuple(_path(workspace, wanted.directory, path) for path in wanted.paths)
    before = load_baseline(workspace) if wanted.baseline == "compare" else None
    limits = Limits(seconds=wanted.timeout, kept=16 * MIB, output=64 * MIB, disk=512 * MIB, processes=256)
    done: list[Check] = []
    level = Isolation.NONE
    for kind in dict.fromkeys(wanted.kinds):
        async with place_in(workspace, minimum, limits, wanted.directory) as place:
            level = place.walls.level
            done += await _checked(kind, place, chosen, wanted)
    if wanted.baseline == "save":
        save_baseline(workspace, ((check.tool, finding) for check in done for finding in check.findings))
    if before is not None:
        done = [_against(before, check) for check in done]
    cut = (replace(check, findings=check.findings[:MOST_FINDINGS]) for check in done)
    return Report(together(done), tuple(cut), level)


async def _checked(kind: Kind, place: Place, paths: tuple[str, ...], wanted: Wanted) -> list[Check]:
    if kind == "lint":
        return [await run_static(place, "lint", "ruff", paths)]
    if kind == "types":
        return [await run_static(place, "types", wanted.types or type_checker(place), paths)]
    if kind == "tests":
        return [await run_pytest(place, paths, wanted.pattern)]
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

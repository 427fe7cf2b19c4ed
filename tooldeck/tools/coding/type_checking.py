"""What the type checker of the project says of changed code that it did not say of the code before."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.paths import FileChange, PathRefused, Workspace
from tooldeck.guards.running import MIB, Limits
from tooldeck.tools.checking.mirror import mirror
from tooldeck.tools.checking.programs import Place, configured_type_checker, place_in, run_static
from tooldeck.tools.checking.records import Check, Standing
from tooldeck.tools.coding.records import Diagnosis
from tooldeck.tools.coding.renamed import Renamed
from tooldeck.tools.coding.units import MOST_BYTES
from tooldeck.tools.folders.listing import below

__all__ = ["newly_typed"]

SECONDS = 20.0
"""How long the checker may take, before and after together."""
MOST_USERS = 40
"""Other files that are checked because they speak of the changed symbol."""
_LIMITS = Limits(seconds=SECONDS, kept=16 * MIB, output=64 * MIB, disk=512 * MIB, processes=256)


async def newly_typed(
    workspace: Workspace, minimum: Isolation, changes: Sequence[FileChange], symbol: str, renamed: Renamed
) -> Diagnosis:
    """The new errors in changed Python files, and in files that speak of the changed `symbol`.

    Only a checker that the project configures is asked. What cannot be checked is said and stops nothing.
    """
    changed = {one.path: one for one in changes if one.path.casefold().endswith((".py", ".pyi"))}
    if not changed:
        return Diagnosis("types", note="type checkers read .py files only")
    try:
        async with place_in(workspace, minimum, _LIMITS) as place:
            tool = configured_type_checker(place.root)
            if tool is None:
                return Diagnosis("types", note="the project configures no type checker")
            paths = [*changed, *await asyncio.to_thread(_users, workspace, symbol, changed)]
            return await _differing(place, tool, paths, changed, renamed)
    except (SetupError, ExpectedError) as error:
        return Diagnosis("types", note=str(error))


async def _differing(
    place: Place, tool: str, paths: Sequence[str], changed: Mapping[str, FileChange], renamed: Renamed
) -> Diagnosis:
    end = time.monotonic() + SECONDS
    after = await _errors(place, tool, paths, {path: one.after for path, one in changed.items()}, end)
    if after.status is Standing.FAILED and after.findings:
        old = {path: one.before for path, one in changed.items()}
        there = [path for path in paths if old.get(path, b"") is not None]
        before = await _errors(place, tool, there, old, end) if there else replace(after, findings=())
    else:
        before = after
    for check in (after, before):
        if check.status not in {Standing.PASSED, Standing.FAILED}:
            late = f"{tool} took longer than {SECONDS:g} s"
            return Diagnosis("types", note=late if check.status is Standing.TIMEOUT else check.note)
    told = tuple(renamed.only_now(tool, before.findings, after.findings))
    return Diagnosis("types", told, f"{after.tool} {after.version}".strip())


async def _errors(
    place: Place, tool: str, paths: Sequence[str], contents: Mapping[str, bytes | None], end: float
) -> Check:
    """The check with its errors alone, of the project with these contents."""
    left = end - time.monotonic()
    if left < 0.1:
        return Check("types", tool, Standing.TIMEOUT)
    folder = place.view.folder / f"mirror-{len(list(place.view.folder.iterdir()))}"
    await asyncio.to_thread(mirror, place.root, folder, contents)
    view = replace(place.view, start=folder)
    there = replace(place, root=folder, view=view, limits=replace(place.limits, seconds=left))
    check = await run_static(there, "types", tool, [f"./{path}" for path in paths])
    return replace(check, findings=tuple(one for one in check.findings if one.severity == "error"))


def _users(workspace: Workspace, symbol: str, changed: Mapping[str, FileChange]) -> list[str]:
    """Other Python files that have the name of a symbol."""
    name = symbol.rpartition("/")[2].partition("[")[0]
    if not name.isidentifier():
        return []
    word, found = re.compile(rf"\b{re.escape(name)}\b".encode()), list[str]()
    for entry in below(workspace):
        if not entry.is_file or Path(entry.path).suffix != ".py" or entry.path in changed:
            continue
        try:
            if word.search(workspace.read(entry.path, MOST_BYTES)):
                found.append(entry.path)
        except PathRefused:
            continue
        if len(found) == MOST_USERS:
            break
    return found

"""What the linter says of changed code that it did not say of the code before."""

from __future__ import annotations

from collections.abc import Sequence

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.paths import FileChange, Workspace
from tooldeck.guards.programs import find_program
from tooldeck.guards.running import MIB, Limits
from tooldeck.tools.checking.fixing import findings_below, findings_of
from tooldeck.tools.checking.programs import place_in
from tooldeck.tools.checking.records import Finding
from tooldeck.tools.coding.languages import language_of
from tooldeck.tools.coding.records import Diagnosis
from tooldeck.tools.coding.renamed import Renamed

__all__ = ["diagnosed"]

_LIMITS = Limits(seconds=20.0, kept=16 * MIB, output=32 * MIB, processes=64)


async def diagnosed(
    workspace: Workspace,
    minimum: Isolation,
    changes: Sequence[FileChange],
    renamed: Renamed,
) -> Diagnosis:
    """The new findings of ruff in changed Python; what cannot be checked is said and stops nothing."""
    checked = {
        one.path: one for one in changes if language_of(one.path) == "python" and one.after is not None
    }
    if not checked:
        return Diagnosis("lint", note="no linter for this language is known here")
    new: list[Finding] = []
    try:
        async with place_in(workspace, minimum, _LIMITS) as place:
            after = await findings_below(place, list(checked))
            for path in sorted({one.path for one in after} & set(checked)):
                before = await findings_of(place, path, checked[path].before or b"")
                new += renamed.only_now("ruff", before, [one for one in after if one.path == path])
            version = await place.version(find_program("ruff", place.env))
    except (SetupError, ExpectedError) as error:
        return Diagnosis("lint", note=str(error))
    return Diagnosis("lint", tuple(new), f"ruff {version}".strip())

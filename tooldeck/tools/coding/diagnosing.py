"""What checkers say of changed code that they did not say of the code before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.paths import FileChange, Workspace
from tooldeck.guards.programs import find_program
from tooldeck.guards.running import MIB, Limits
from tooldeck.tools.checking.baseline import keys_of, new_findings
from tooldeck.tools.checking.fixing import findings_below, findings_of
from tooldeck.tools.checking.programs import place_in
from tooldeck.tools.checking.records import Finding
from tooldeck.tools.coding.languages import language_of
from tooldeck.tools.coding.records import Diagnosis

__all__ = ["diagnosed"]

_LIMITS = Limits(seconds=20.0, kept=16 * MIB, output=32 * MIB, processes=64)


async def diagnosed(
    workspace: Workspace,
    minimum: Isolation,
    changes: Sequence[FileChange],
    renamed: tuple[str, str] = ("", ""),
) -> Diagnosis:
    """The new findings of ruff in changed Python; what cannot be checked is said and stops nothing.

    Findings that differ only in a name that was `renamed` (the old, the new) are not new.
    """
    checked = {
        one.path: one for one in changes if language_of(one.path) == "python" and one.after is not None
    }
    if not checked:
        return Diagnosis(note="no checker for this language is known here")
    new: list[Finding] = []
    try:
        async with place_in(workspace, minimum, _LIMITS) as place:
            after = await findings_below(place, list(checked))
            for path in sorted({one.path for one in after} & set(checked)):
                before = await findings_of(place, path, checked[path].before or b"")
                known = Counter(keys_of(("ruff", _before(one, renamed)) for one in before))
                here = [_before(one, renamed) for one in after if one.path == path]
                new += new_findings(known, "ruff", here)
            version = await place.version(find_program("ruff", place.env))
    except (SetupError, ExpectedError) as error:
        return Diagnosis(note=str(error))
    return Diagnosis(tuple(new), f"ruff {version}".strip())


def _before(finding: Finding, renamed: tuple[str, str]) -> Finding:
    """The finding as it would be told of the old name."""
    old, new = renamed
    return replace(finding, message=finding.message.replace(new, old)) if new else finding

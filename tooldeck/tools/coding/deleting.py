"""Taking a symbol away, once nothing uses it any more."""

from __future__ import annotations

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import FileChange, PathRefused
from tooldeck.tools.coding.editing import checked
from tooldeck.tools.coding.meaning import Question, references
from tooldeck.tools.coding.records import Place
from tooldeck.tools.coding.renaming import exported
from tooldeck.tools.coding.symbols import Symbol
from tooldeck.tools.coding.units import Unit
from tooldeck.tools.texts.changes import expected

__all__ = ["deletable", "planned_deletion"]

_LISTED = 10


async def planned_deletion(
    asked: Question, symbol: Symbol, expect_hash: str | None, *, although_unsure: bool
) -> FileChange:
    """The change of the file of a symbol that is taken away; writes nothing.

    Raises `ExpectedError` with the places where it is used, or may be and nobody said that this is fine.
    """
    source, unit = asked.source, asked.spot.unit
    expected(source.data, source.path, expect_hash)
    if unit.language != "python":
        raise ExpectedError(
            f"Who uses names of {unit.language} cannot be resolved here, so nothing is deleted; look at "
            "references of the tool lsp, and edit the file."
        )
    found = await references(asked)
    if not found.places or found.elsewhere:
        raise ExpectedError(f"Who uses {symbol.path!r} could not be found out, so nothing was deleted.")
    used = [one for one in found.places if not _within(one, unit, symbol)]
    if used:
        raise ExpectedError(f"{symbol.path!r} is still used, so nothing was deleted: {_listed(used)}")
    if not symbol.scope and list(exported(unit, symbol.name)):
        raise ExpectedError(f"{symbol.path!r} is in __all__ of {unit.place}, so nothing was deleted.")
    doubtful = [one for one in found.unsure if not _within(one, unit, symbol)]
    if (doubtful or found.notes) and not although_unsure:
        raise ExpectedError(
            f"{symbol.path!r} may still be used, so nothing was deleted: {_listed(doubtful)} "
            f"{' '.join(found.notes)} If none of them means it, give although_unsure=true."
        )
    return checked(source, {unit: _without(unit, symbol)})


def deletable(change: FileChange, before: bytes | None) -> list[FileChange]:
    """The change, for a file that is still as it was looked at."""
    if before != change.before:
        raise PathRefused(f"{change.path!r} was changed meanwhile; nothing was deleted, so try again.")
    return [change]


def _within(place: Place, unit: Unit, symbol: Symbol) -> bool:
    """Whether a place is in the text of the symbol itself."""
    return (
        place.path == unit.path and place.cell == unit.cell and symbol.line <= place.line <= symbol.end_line
    )


def _listed(places: list[Place]) -> str:
    more = [f"and {len(places) - _LISTED} more"] if len(places) > _LISTED else []
    return "; ".join([*map(str, places[:_LISTED]), *more])


def _without(unit: Unit, symbol: Symbol) -> str:
    """The text without the symbol, its comment, and the blank lines that set it off."""
    whole = unit.text
    first, last = whole.rfind("\n", 0, symbol.lead) + 1, whole.find("\n", symbol.stop)
    last = len(whole) if last < 0 else last
    rest = whole[symbol.stop : last].strip()
    if whole[first : symbol.lead].strip() or (rest and not rest.startswith("#")):
        raise ExpectedError(f"{symbol.path} shares its lines with other code; use the edit of file.")
    above, below = whole[:first], whole[last + 1 :]
    blank = (len(above) - len(above.rstrip("\n")) - 1, len(below) - len(below.lstrip("\n")))
    if not below.strip():
        return above.rstrip("\n") + "\n" * (whole.endswith("\n") and bool(above.strip()))
    if not above.strip():
        return below.lstrip("\n")
    opens = above.rstrip().endswith(":")  # of a class, whose first symbol goes
    return above.rstrip("\n") + "\n" * (1 + (blank[0] if opens else max(blank))) + below.lstrip("\n")

"""Changes of code as a whole: what becomes of files, checked, carried out together, and looked at after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import ExpectedError
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.paths import FileChange, Workspace
from tooldeck.tools.coding.diagnosing import diagnosed
from tooldeck.tools.coding.records import CodeChanged
from tooldeck.tools.coding.renamed import Renamed
from tooldeck.tools.coding.symbols import Symbol
from tooldeck.tools.coding.type_checking import newly_typed
from tooldeck.tools.coding.units import MOST_BYTES, Source, Unit, source_of, sources_below, the_symbol
from tooldeck.tools.texts.changes import expected
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import digest
from tooldeck.tools.texts.faults import fault, worse
from tooldeck.tools.texts.snapshots import snapshots_of

__all__ = ["carried_out", "checked", "diff_of", "edited", "named", "on_line"]

_NOT_RENAMED = Renamed()


def edited(
    workspace: Workspace,
    path: str,
    name_path: str,
    expect_hash: str | None,
    make: Callable[[Unit, Symbol], str],
) -> list[FileChange]:
    """What becomes of a file when `make` gives the new text of the piece with the symbol.

    Raises `ExpectedError` where that would not parse, `PathRefused`.
    """
    data = expected(workspace.before(path, MOST_BYTES), path, expect_hash)
    if data is None:
        raise ExpectedError(f"There is no file {path!r} to change; make it with the tool file.")
    source = source_of(workspace.relative(path), data)
    _, unit, symbol = the_symbol(iter([source]), name_path, path)
    return [checked(source, {unit: make(unit, symbol)})]


def checked(source: Source, texts: dict[Unit, str]) -> FileChange:
    """The change of a file whose pieces get these texts; refused where one would not parse any more."""
    made = source
    for unit, text in texts.items():
        wrong = worse(unit.text, text, unit.language, cell=unit.cell is not None)
        if wrong:
            raise ExpectedError(f"{unit.place} would not parse any more ({wrong}); nothing was changed.")
        made = made.with_unit(unit, text)
    if made.data == source.data:
        raise ExpectedError(f"Nothing changes: {source.path!r} has this text already.")
    return FileChange(source.path, source.data, made.data)


async def carried_out(
    workspace: Workspace,
    minimum: Isolation,
    told: str,
    make: Callable[[], list[FileChange]],
    notes: Sequence[str] = (),
    *,
    symbol: str = "",
    renamed: Renamed = _NOT_RENAMED,
) -> CodeChanged:
    """Carry out what `make` says, all files or none, and tell what checkers say of it then.

    `symbol` is what has another definition now, so that those who use it are looked at as well.
    """
    changes = await asyncio.to_thread(workspace.change_all, make)
    files: list[tuple[str, str]] = []
    broken: list[str] = []
    for change in changes:
        after = change.after or b""
        snapshots_of(workspace).keep(change.path, after)
        files.append((change.path, digest(after)))
        wrong = fault(change.path, after)
        broken += [f"[{change.path} does not parse, as before: {wrong}]"] if wrong else []
    diagnoses = await asyncio.gather(
        diagnosed(workspace, minimum, changes, renamed),
        newly_typed(workspace, minimum, changes, symbol, renamed),
    )
    return CodeChanged(tuple(files), diff_of(changes), True, told, tuple(diagnoses), (*notes, *broken))


def diff_of(changes: Sequence[FileChange]) -> str:
    """The changes as a unified diff; those of notebooks cell by cell."""
    shown: list[str] = []
    for change in changes:
        before, after = (
            source_of(change.path, change.before or b""),
            source_of(change.path, change.after or b""),
        )
        for old, new in zip(before.units, after.units, strict=True):
            shown.append(unified(old.text, new.text, old.place) if old.text != new.text else "")
    return "".join(shown)


def on_line(workspace: Workspace, path: str, cell: str, cancel: CancelToken) -> tuple[Source, Unit]:
    """A file, and the piece of code in it that lines are counted in. Raises `ExpectedError`."""
    source = next(sources_below(workspace, path, cancel), None)
    if source is None or not source.units:
        raise ExpectedError(f"There is no code in {path!r}.")
    if source.units[0].cell is None:
        return source, source.units[0]
    found = [one for one in source.units if one.cell_id == cell] or [
        one for one in source.units if str(one.cell) == cell
    ]
    if len(found) != 1:
        known = ", ".join(one.cell_id or str(one.cell) for one in source.units[:20])
        raise ExpectedError(
            f"{path!r} is a notebook, so say which cell has the line: cell is one of {known}."
        )
    return source, found[0]


def named(
    workspace: Workspace, path: str, name_path: str, cancel: CancelToken
) -> tuple[Source, Unit, Symbol]:
    """The one symbol of a file that is meant. Raises `ExpectedError`."""
    return the_symbol(sources_below(workspace, path, cancel), name_path, path)

"""Renaming a Python name wherever it is used, planned as a whole before anything is changed."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator
from dataclasses import dataclass

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import FileChange
from tooldeck.tools.coding.editing import checked, diff_of
from tooldeck.tools.coding.meaning import Question, references
from tooldeck.tools.coding.python_symbols import parsed, text_lines
from tooldeck.tools.coding.records import Place
from tooldeck.tools.coding.symbols import Symbol
from tooldeck.tools.coding.units import Unit, sources_below, symbols_of
from tooldeck.tools.texts.documents import digest

__all__ = ["Renaming", "exported", "planned_rename"]

_LISTED = 10


@dataclass(frozen=True, slots=True)
class Renaming:
    """What a rename comes to."""

    old: str
    changes: list[FileChange]
    diff: str
    told: str
    notes: tuple[str, ...]

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """The paths, each with the hash that the file would have."""
        return tuple((one.path, digest(one.after or b"")) for one in self.changes)


async def planned_rename(asked: Question, symbol: Symbol, new: str) -> Renaming:
    """The changes of all files. Raises `ExpectedError` where a name cannot be resolved or is taken."""
    old = asked.spot.name
    _check(asked.spot.unit, symbol, new)
    found = await references(asked)
    if not found.places or found.elsewhere:
        raise ExpectedError(
            f"{old!r} cannot be renamed: where it is defined could not be found in the workspace."
        )
    changes: list[FileChange] = []
    count = 0
    for path in sorted({place.path for place in found.places}):
        source = next(sources_below(asked.workspace, path, asked.cancel))
        texts: dict[Unit, str] = {}
        for one in source.units:
            spots = _spots(one, [place for place in found.places if place.path == path], symbol)
            if spots:
                texts[one] = _with(one.text, spots, old, new)
                count += len(spots)
        changes.append(checked(source, texts))
    told = f"{symbol.path} becomes {new}: {count} places in {len(changes)} files"
    notes = (*found.notes, *_left(found.unsure), *_taken(changes, new))
    return Renaming(old, changes, diff_of(changes), told, notes)


def _check(unit: Unit, symbol: Symbol, new: str) -> None:
    if unit.language != "python":
        raise ExpectedError(
            f"Names of {unit.language} cannot be resolved here, and the same name may mean something else; "
            "rename with a language server (the tool lsp), or edit what references shows."
        )
    if not new.isidentifier() or keyword.iskeyword(new):
        raise ExpectedError(f"{new!r} is no name in Python.")
    if new == symbol.name:
        raise ExpectedError(f"Nothing changes: the name is {new!r} already.")
    if any((one.scope, one.name) == (symbol.scope, new) for one in symbols_of(unit)):
        raise ExpectedError(f"{unit.place} has a {new!r} beside {symbol.path!r} already.")


def _spots(unit: Unit, places: list[Place], symbol: Symbol) -> set[int]:
    """Where in the text the name stands, also in the ``__all__`` of a module that has it at its top."""
    here = [place for place in places if place.cell == unit.cell]
    spots = {_at(unit, place, symbol.name) for place in here}
    if not symbol.scope and any(place.symbol in {"", symbol.path} for place in here):
        spots |= set(exported(unit, symbol.name))
    return spots


def _at(unit: Unit, place: Place, name: str) -> int:
    """Where in the text a place is; raises `ExpectedError` where the name does not stand there."""
    start = text_lines(unit.text).at(place.line, 0) + place.column - 1
    if unit.text[start : start + len(name)] != name:
        raise ExpectedError(
            f"{unit.place} was changed meanwhile, or uses {name!r} in a way that is not known."
        )
    return start


def _with(text: str, spots: set[int], old: str, new: str) -> str:
    for start in sorted(spots, reverse=True):
        text = text[:start] + new + text[start + len(old) :]
    return text


def exported(unit: Unit, name: str) -> Iterator[int]:
    """Where ``__all__`` lists the name."""
    try:
        tree = parsed(unit.text, cell=unit.cell is not None)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    where = text_lines(unit.text)
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if not any(isinstance(one, ast.Name) and one.id == "__all__" for one in targets):
            continue
        for one in ast.walk(node.value):
            if isinstance(one, ast.Constant) and one.value == name:
                start = where.at(one.lineno, one.col_offset) + 1
                if unit.text[start : start + len(name)] == name:
                    yield start


def _left(unsure: tuple[Place, ...]) -> Iterator[str]:
    if unsure:
        shown = "; ".join(f"{one.path}:{one.line}" for one in unsure[:_LISTED])
        more = f" and {len(unsure) - _LISTED} more" if len(unsure) > _LISTED else ""
        yield f"[left alone, for it could not be found out what they mean: {shown}{more}]"


def _taken(changes: list[FileChange], new: str) -> Iterator[str]:
    word = new.encode()
    taken = [one.path for one in changes if one.before is not None and word in one.before]
    if taken:
        yield f"[the new name stands already in {', '.join(taken[:_LISTED])}; look whether it is another one]"

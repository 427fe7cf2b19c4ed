"""The pieces of code in the workspace: a file of code is one, of a notebook each code cell is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.tools.coding.languages import LANGUAGES, MOST_CHARS, language_of
from tooldeck.tools.coding.python_symbols import python_symbols
from tooldeck.tools.coding.symbols import NamePath, Symbol
from tooldeck.tools.coding.tree_symbols import tree_symbols
from tooldeck.tools.folders.listing import below
from tooldeck.tools.texts.cells import with_source
from tooldeck.tools.texts.documents import Document, NotText, decode
from tooldeck.tools.texts.notebooks import cells_of

__all__ = ["Source", "Unit", "found_symbols", "source_of", "sources_below", "symbols_of", "the_symbol"]

MOST_BYTES = 4 * MOST_CHARS
"""Longer files are not read."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of code in one language."""

    path: str
    text: str
    language: str
    cell: int | None = None
    """The number of the cell, from 1; None for a file."""
    cell_id: str = ""

    @property
    def place(self) -> str:
        """What it is, in words."""
        if self.cell is None:
            return self.path
        return f"{self.path}, cell {self.cell_id or self.cell}"


@dataclass(frozen=True, slots=True)
class Source:
    """A file and its pieces of code."""

    path: str
    data: bytes
    document: Document
    units: tuple[Unit, ...]

    def with_unit(self, unit: Unit, text: str) -> Source:
        """The file with another text in one of its pieces."""
        if unit.cell is None:
            whole, units = text, (Unit(self.path, text, unit.language),)
        else:
            whole = with_source(self.document.text, self.path, unit.cell, text)
            made = Unit(self.path, text, unit.language, unit.cell, unit.cell_id)
            units = tuple(made if one.cell == unit.cell else one for one in self.units)
        document = self.document.with_text(whole)
        return Source(self.path, document.encode(), document, units)


def source_of(path: str, data: bytes) -> Source:
    """The pieces of code in the bytes of a file. Raises `ExpectedError` for a kind that is not known."""
    language = language_of(path)
    if language is None:
        known = ", ".join(LANGUAGES)
        raise ExpectedError(f"{path!r} is in no language that is known here ({known}); use the tool file.")
    document = decode(data, path)
    if not path.casefold().endswith(".ipynb"):
        return Source(path, data, document, (Unit(path, document.text, language),))
    cells = cells_of(document.text, path)
    units = (Unit(path, cell.source, language, cell.number, cell.id) for cell in cells if cell.kind == "code")
    return Source(path, data, document, tuple(units))


def sources_below(
    workspace: Workspace, path: str, cancel: CancelToken, language: str | None = None
) -> Iterator[Source]:
    """The code below a folder, or in one file; ignored files are left out. Raises `PathRefused`."""
    with workspace.at(path) as entry:
        start, is_folder = entry.path, entry.is_folder
    if not is_folder:
        yield source_of(start, workspace.read(start, MOST_BYTES))
        return
    for found in below(workspace, start, cancel=cancel):
        known = language_of(found.path) if found.is_file else None
        if known is None or (language is not None and known != language) or found.info.st_size > MOST_BYTES:
            continue
        try:
            yield source_of(found.path, workspace.read(found.path, MOST_BYTES))
        except (PathRefused, NotText):
            continue
        except ExpectedError:  # a notebook that is none
            continue


def symbols_of(unit: Unit) -> list[Symbol]:
    """What a piece of code defines; of broken Python what the tolerant parser sees, where it is installed.

    Raises `SetupError` where a parser is missing, `ExpectedError` for broken Python without one.
    """
    if unit.language != "python":
        return tree_symbols(unit.text, unit.language)
    try:
        return python_symbols(unit.text, cell=unit.cell is not None)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        try:
            return tree_symbols(unit.text, unit.language)
        except SetupError as missing:
            why = " ".join(str(error).split())
            raise ExpectedError(f"{unit.place} does not parse: {why}. {missing}") from None


def found_symbols(sources: Iterator[Source], name_path: str) -> list[tuple[Source, Unit, Symbol]]:
    """All symbols that a name path may mean."""
    wanted = NamePath(name_path)
    return [
        (source, unit, symbol)
        for source in sources
        for unit in source.units
        if wanted.names[-1] in unit.text
        for symbol in symbols_of(unit)
        if wanted.fits(symbol)
    ]


def the_symbol(sources: Iterator[Source], name_path: str, where: str) -> tuple[Source, Unit, Symbol]:
    """The one symbol that is meant. Raises `ExpectedError` naming the others where there are several."""
    found = found_symbols(sources, name_path)
    if len(found) == 1:
        return found[0]
    if not found:
        raise ExpectedError(
            f"There is no symbol {name_path!r} in {where!r}; symbols and search tell which are."
        )
    listed = "; ".join(
        f"{symbol.path} ({symbol.kind}) in {unit.place}, line {symbol.line}" for _, unit, symbol in found[:10]
    )
    raise ExpectedError(f"{name_path!r} may be {len(found)} symbols, so say which one: {listed}.")

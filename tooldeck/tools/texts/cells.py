"""The source of one cell of a notebook put in the place of another, every other byte left as it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NamedTuple

from tooldeck.core.errors import ExpectedError
from tooldeck.tools.texts.documents import Document, fresh
from tooldeck.tools.texts.notebooks import Cell, cells_of

__all__ = ["Piece", "cell_of", "piece_of", "with_source"]

_DECODER = json.JSONDecoder()
_NOT_BLANK = re.compile(r"[^ \t\r\n]")


@dataclass(frozen=True, slots=True)
class Piece:
    """What an edit is about: a whole file, or the source of one cell of a notebook."""

    whole: Document
    path: str
    cell: Cell | None

    @property
    def document(self) -> Document:
        """The text that lines are counted in."""
        return self.whole if self.cell is None else fresh(self.cell.source)

    @property
    def name(self) -> str:
        """What it is, in words."""
        return self.path if self.cell is None else f"{self.path} (cell {self.cell.id or self.cell.number})"

    def put(self, after: Document) -> Document:
        """The whole file with another text there."""
        if self.cell is None:
            return after
        source = after.encode().decode()
        return self.whole.with_text(with_source(self.whole.text, self.path, self.cell.number, source))


def piece_of(document: Document, path: str, cell: str) -> Piece:
    """The file, or its cell with an id or a number where `cell` says one. Raises `ExpectedError`."""
    return Piece(document, path, cell_of(document.text, path, cell) if cell else None)


def cell_of(text: str, path: str, wanted: str) -> Cell:
    """The cell with an id or, where none has it, with a number from 1. Raises `ExpectedError`."""
    cells = cells_of(text, path)
    found = [cell for cell in cells if cell.id and cell.id == wanted]
    if not found and wanted.isascii() and wanted.isdigit():
        found = [cell for cell in cells if str(cell.number) == wanted]
    if len(found) == 1:
        return found[0]
    known = ", ".join(cell.id or str(cell.number) for cell in cells[:20])
    what = f"{len(found)} cells have" if found else f"of its {len(cells)} cells none has"
    raise ExpectedError(f"{path!r}: {what} the id or number {wanted!r}; there are: {known or 'none'}.")


def with_source(text: str, path: str, number: int, source: str) -> str:
    """The JSON of a notebook with another source in the cell of a number, from 1; else `ExpectedError`."""
    span = _source(text, number)
    made = "" if span is None else text[: span.start] + _written(text, span, source) + text[span.stop :]
    if not made or cells_of(made, path)[number - 1].source != source:
        raise ExpectedError(f"Cell {number} of {path!r} has no source that can be replaced.")
    return made


def _written(text: str, span: _Span, source: str) -> str:
    """A source in the form that the old one has: one text, or a list of lines with its indentation."""
    old = text[span.start : span.stop]
    escaped = text.isascii() and "\\u" in text
    lines = [line for line in re.split(r"(?<=\n)", source) if line]
    if not old.startswith("["):
        return json.dumps(source, ensure_ascii=escaped)
    if not lines or "\n" not in text or ("\n" not in old and old != "[]"):
        return json.dumps(lines, ensure_ascii=escaped)
    begin = text[text.rfind("\n", 0, span.start) + 1 :]
    indent = begin[: len(begin) - len(begin.lstrip(" \t"))]
    inner = re.match(r"\[\s*?\n([ \t]*)", old)
    deeper = inner[1] if inner is not None else f"{indent} "
    shown = ",\n".join(f"{deeper}{json.dumps(line, ensure_ascii=escaped)}" for line in lines)
    return f"[\n{shown}\n{indent}]"


class _Span(NamedTuple):
    start: int
    stop: int


def _source(text: str, number: int) -> _Span | None:
    """Where the value of ``source`` stands in a cell."""
    whole = _named(text, _blank(text, 0))
    cells = _listed(text, whole["cells"].start) if "cells" in whole else []
    return _named(text, cells[number - 1].start).get("source") if number <= len(cells) else None


def _named(text: str, at: int) -> dict[str, _Span]:
    """Where the values of an object stand that begins here; the last one where a name comes twice."""
    found: dict[str, _Span] = {}
    at = _blank(text, at + 1)
    while text[at] == '"':
        name, at = _DECODER.raw_decode(text, at)
        start = _blank(text, _blank(text, at) + 1)
        found[name] = _Span(start, _DECODER.raw_decode(text, start)[1])
        at = _blank(text, found[name].stop)
        if text[at] == ",":
            at = _blank(text, at + 1)
    return found


def _listed(text: str, at: int) -> list[_Span]:
    """Where the values of an array stand that begins here."""
    found: list[_Span] = []
    at = _blank(text, at + 1)
    while text[at] != "]":
        found.append(_Span(at, _DECODER.raw_decode(text, at)[1]))
        at = _blank(text, found[-1].stop)
        if text[at] == ",":
            at = _blank(text, at + 1)
    return found


def _blank(text: str, at: int) -> int:
    """The next place that is not blank."""
    found = _NOT_BLANK.search(text, at)
    return len(text) if found is None else found.start()

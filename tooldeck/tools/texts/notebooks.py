"""A notebook file as its cells, for reading."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.tools.texts.documents import fresh

__all__ = ["Cell", "cells_of", "cells_text"]

_MOST_OUTPUT = 2_000
"""Characters of the outputs of one cell."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a notebook."""

    number: int
    """From 1."""
    kind: str
    """``code``, ``markdown`` or ``raw``."""
    source: str
    output: str = ""
    """Its outputs as text, shortened."""
    id: str = ""
    """Its own id; empty where it has none, as in older notebooks."""


def cells_of(text: str, path: str) -> list[Cell]:
    """The cells of a notebook from its JSON; raises `ExpectedError` where it is none."""
    try:
        read = json.loads(text)
        found = read["cells"]
        return [_cell(number, one) for number, one in enumerate(found, 1)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ExpectedError(
            f"{path!r} is no notebook that can be read; give raw=true for its text."
        ) from None


def cells_text(cells: list[Cell], marked: Callable[[list[str]], list[str]] = list) -> str:
    """Cells as a model reads them; `marked` gives the lines of a source as they are shown."""
    return "\n".join(line for cell in cells for line in _shown(cell, marked))


def _cell(number: int, given: Mapping[str, Any]) -> Cell:
    output = "\n".join(filter(None, map(_output, given.get("outputs") or ())))
    if len(output) > _MOST_OUTPUT:
        output = f"{output[:_MOST_OUTPUT]}… [{len(output)} characters]"
    own = given.get("id")
    source = _joined(given.get("source", ""))
    return Cell(number, str(given["cell_type"]), source, output, own if isinstance(own, str) else "")


def _shown(cell: Cell, marked: Callable[[list[str]], list[str]]) -> Iterator[str]:
    own = f", id {cell.id}" if cell.id else ""
    yield f"--- cell {cell.number}, {cell.kind}{own}"
    yield from marked(fresh(cell.source).lines)
    if cell.output:
        yield f"--- output of cell {cell.number}"
        yield cell.output


def _output(given: Mapping[str, Any]) -> str:
    if "text" in given:
        return _joined(given["text"]).rstrip()
    if given.get("output_type") == "error":
        return f"{given.get('ename')}: {given.get('evalue')}"
    data = given.get("data") or {}
    if "text/plain" in data:
        return _joined(data["text/plain"]).rstrip()
    return f"[{', '.join(data)}]" if data else ""


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)

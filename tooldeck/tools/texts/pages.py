"""One page of a text, cut where a model has read enough."""

from __future__ import annotations

from typing import NamedTuple

from tooldeck.core.errors import ExpectedError
from tooldeck.tools.file_records import FileText
from tooldeck.tools.texts.anchors import anchors_of
from tooldeck.tools.texts.documents import Document, digest
from tooldeck.tools.texts.notebooks import cells_of, cells_text

__all__ = ["Page", "page_of", "page_of_cells"]

MOST_CHARS = 45_000
"""Characters of one page."""
LONGEST = 2_000
"""Characters of a line that are shown."""


class Page(NamedTuple):
    """Which lines are wanted."""

    offset: int
    """The first one, from 1."""
    limit: int
    """How many at most."""


def page_of(path: str, data: bytes, document: Document, page: Page, *, anchors: bool) -> FileText:
    """A page of a text file; raises `ExpectedError` where the text ends before."""
    lines = document.lines
    marks = [f"{anchor}|" for anchor in anchors_of(lines)] if anchors else None
    return _page(path, data, document, lines, marks=marks, page=page)


def page_of_cells(path: str, data: bytes, document: Document, page: Page, *, anchors: bool) -> FileText:
    """A page of a notebook, read as cells; raises like `page_of`, and where it is no notebook."""
    text = cells_text(cells_of(document.text, path), _marked if anchors else list)
    return _page(path, data, document, text.split("\n"), marks=None, page=page)


def _marked(lines: list[str]) -> list[str]:
    return [f"{anchor}|{line}" for anchor, line in zip(anchors_of(lines), lines, strict=True)]


def _page(
    path: str, data: bytes, document: Document, lines: list[str], *, marks: list[str] | None, page: Page
) -> FileText:  # fmt: skip
    first = page.offset - 1
    if first > max(0, len(lines) - 1):
        raise ExpectedError(
            f"{path!r} has {len(lines)} lines, so there is nothing from line {page.offset} on."
        )
    shown: list[str] = []
    room = MOST_CHARS
    for place, line in enumerate(lines[first : first + page.limit], first):
        told = line if len(line) <= LONGEST else f"{line[:LONGEST]}… [{len(line)} characters]"
        told = told if marks is None else marks[place] + told
        room -= len(told) + 1
        if room < 0 and shown:
            break
        shown.append(told)
    encoding = document.encoding + (" (guessed)" if document.guessed else "")
    return FileText(
        path, digest(data), encoding, document.newline, len(lines), page.offset, tuple(shown), document.text
    )

"""A unified diff, read strictly: rows with line numbers, or None for text that only looks like one."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["DiffRow", "diff_rows", "diff_size"]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*")
_ABOUT = (
    *("diff --git ", "index ", "new file mode ", "deleted file mode ", "old mode ", "new mode "),
    *("similarity index ", "dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to "),
)
_KINDS = {" ": "same", "-": "gone", "+": "new"}


class DiffRow(NamedTuple):
    """One line of a diff."""

    kind: str
    """``file``, ``hunk``, ``about``, ``same``, ``gone`` or ``new``."""
    number: int | None
    """The line's number, of the old text where it is gone and of the new text elsewhere."""
    text: str
    """The line without its sign."""


def diff_rows(text: str) -> list[DiffRow] | None:
    """The rows of a diff. A hunk must have as many lines as it says, so that no line passes for another."""
    reader = _Reader()
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return reader.rows if all(map(reader.take, lines)) and reader.complete else None


class _Reader:
    def __init__(self) -> None:
        self.rows: list[DiffRow] = []
        self._old = self._new = 0
        self._left = [0, 0]
        self._heads = 0
        self._hunks = 0

    @property
    def complete(self) -> bool:
        return self._hunks > 0 and self._left == [0, 0]

    def take(self, line: str) -> bool:
        """Take one more line; says whether it is one of a diff."""
        if line.startswith("\\ ") and self._hunks:
            return self._add("about", None, line)
        return self._within(line) if any(self._left) else self._between(line)

    def _between(self, line: str) -> bool:
        if line.startswith(("--- ", "+++ ")):
            self._heads += 1
            return self._add("file", None, line) and line[0] == "-+"[(self._heads + 1) % 2]
        hunk = _HUNK.fullmatch(line)
        if hunk is not None and self._heads and self._heads % 2 == 0:
            self._hunks += 1
            self._old, self._new = int(hunk[1]), int(hunk[3])
            self._left = [int(hunk[2] or 1), int(hunk[4] or 1)]
            return self._add("hunk", None, line)
        return line.startswith(_ABOUT) and self._add("about", None, line)

    def _within(self, line: str) -> bool:
        kind = _KINDS.get(line[:1] or " ")
        if kind is None:
            return False
        self._add(kind, self._old if kind == "gone" else self._new, line[1:])
        if kind != "new":
            self._old += 1
            self._left[0] -= 1
        if kind != "gone":
            self._new += 1
            self._left[1] -= 1
        return min(self._left) >= 0

    def _add(self, kind: str, number: int | None, text: str) -> bool:
        self.rows.append(DiffRow(kind, number, text))
        return True


def diff_size(rows: list[DiffRow]) -> str:
    """How much a diff changes, in words."""
    added, removed = (sum(row.kind == kind for row in rows) for kind in ("new", "gone"))
    return f"+{added} −{removed}"

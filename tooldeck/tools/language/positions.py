"""Places in a text as the Language Server Protocol counts them, and as people do.

The protocol counts lines from 0, ended by LF, CRLF or CR alone, and characters from 0 in the units of the
encoding that was agreed upon, UTF-16 unless both sides know better. People count lines and characters from 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, NamedTuple

from tooldeck.core.errors import ExpectedError

__all__ = ["ENCODINGS", "Place", "Spot", "Text"]

ENCODINGS = ("utf-32", "utf-16", "utf-8")
"""The units that positions can be counted in: characters first, which servers convert wrongly least often."""
_ENDS = re.compile(r"\r\n|\n|\r")
_SHOWN = 5
# Places of a symbol that are named where it is not on the line that was meant.
_NTH = re.compile(r"(.+)#(\d{1,6})", re.DOTALL)


class Place(NamedTuple):
    """A place as people count: both from 1, columns in characters."""

    line: int
    column: int


class Spot(NamedTuple):
    """What a caller points at: a column of a line, or a symbol by its text."""

    line: int | None = None
    """From 1; None: the symbol is looked for in the whole file."""
    column: int | None = None
    """From 1, in characters."""
    symbol: str = ""
    """A text on the line; ``name#2`` is its second occurrence."""


class Text:
    """A text with its lines, for positions in one of `ENCODINGS`."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.encoding = encoding
        self._starts = [0, *(end.end() for end in _ENDS.finditer(text))]

    def __len__(self) -> int:
        return len(self._starts)

    def line(self, number: int) -> str:
        """A line without its end, counted from 0; empty past the last one."""
        if not 0 <= number < len(self._starts):
            return ""
        stop = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : stop].rstrip("\r\n")

    def offset(self, position: Mapping[str, Any]) -> int:
        """The index in the text; past the end of a line means its end. Raises ValueError for no position."""
        number, units = position.get("line"), position.get("character")
        if type(number) is not int or type(units) is not int or number < 0 or units < 0:
            raise ValueError(f"{position!r:.200} is no position")
        if number >= len(self._starts):
            return len(self.text)
        return self._starts[number] + _characters(self.line(number), units, self.encoding)

    def position(self, offset: int) -> dict[str, int]:
        """The protocol's position of an index."""
        number = bisect_right(self._starts, offset) - 1
        return {
            "line": number,
            "character": _units(self.text[self._starts[number] : offset], self.encoding),
        }

    def place(self, offset: int) -> Place:
        """The place of an index, as people count."""
        number = bisect_right(self._starts, offset) - 1
        return Place(number + 1, offset - self._starts[number] + 1)

    def find(self, spot: Spot) -> int:
        """The index that a spot means. Raises `ExpectedError` with what is there instead."""
        if spot.line is not None and spot.line > len(self):
            raise ExpectedError(f"There is no line {spot.line}; the file has {len(self)}.")
        if spot.symbol:
            return self._symbol(spot.line, spot.symbol)
        if spot.line is None or spot.column is None:
            raise ExpectedError(
                "Say what is meant: a symbol, with its line where there are several, or line and column."
            )
        line = self.line(spot.line - 1)
        if spot.column > len(line) + 1:
            raise ExpectedError(
                f"Line {spot.line} has {len(line)} characters, so no column {spot.column}: {line!r:.200}"
            )
        return self._starts[spot.line - 1] + spot.column - 1

    def _symbol(self, line: int | None, symbol: str) -> int:
        numbered = _NTH.fullmatch(symbol)
        name, nth = (numbered[1], int(numbered[2])) if numbered else (symbol, 1)
        found = occurrences(self.text, name)
        here = [at for at in found if line is None or self.place(at).line == line]
        if 1 <= nth <= len(here):
            return here[nth - 1]
        where = "in the file" if line is None else f"on line {line}"
        if here:
            raise ExpectedError(f"{name!r} is {where} {len(here)} times, so there is no #{nth}.")
        lines = list(dict.fromkeys(self.place(at).line for at in found))
        others = f"; it is on line {', '.join(map(str, lines[:_SHOWN]))}" if lines else ""
        more = " and others" if len(lines) > _SHOWN else ""
        stands = "" if line is None else f", which is {self.line(line - 1)!r:.200}"
        raise ExpectedError(f"{name!r} is not {where}{stands}{others}{more}.")


def occurrences(text: str, name: str) -> list[int]:
    """Where a name stands as a word of its own; where it never does, wherever it stands."""
    left = r"(?<!\w)" if name[:1].isidentifier() else ""
    right = r"(?!\w)" if name[-1:].isalnum() or name[-1:] == "_" else ""
    exact = re.escape(name)
    found = [hit.start() for hit in re.finditer(left + exact + right, text)]
    return found or [hit.start() for hit in re.finditer(exact, text)]


def _units(text: str, encoding: str) -> int:
    if encoding == "utf-8":
        return len(text.encode(errors="surrogatepass"))
    return len(text) + sum(char > "\uffff" for char in text) if encoding == "utf-16" else len(text)


def _characters(line: str, units: int, encoding: str) -> int:
    """How many characters take up so many units; one in the middle of a character is before it."""
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    used = 0
    for index, char in enumerate(line):
        used += _units(char, encoding)
        if used > units:
            return index
    return len(line)

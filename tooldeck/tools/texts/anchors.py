"""Names for the lines of a file, by which they can be found again after others have changed it.

An anchor is ``LINE:HASH``, with the number of the line and a hash of its exact text and of the last line
before it that is not blank. Hashes that would be the same for different lines are longer; of lines that are
the same throughout each has its ordinal behind a ``~``, so that none of them is ever taken for another.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import NamedTuple

from tooldeck.core.errors import ExpectedError

__all__ = ["Anchor", "BadAnchor", "anchors_of", "place_of", "read_anchor", "unique_place"]

LEAST = 8
"""Hexadecimal digits of a hash at least."""
_FORM = re.compile(r"\s*(\d{1,9}):([0-9a-f]{8,64})(?:~(\d{1,9}))?(?:[|\s].*)?", re.DOTALL)


class BadAnchor(ExpectedError):
    """An anchor that no line has, or more than one."""


class Anchor(NamedTuple):
    """An anchor as it was given."""

    line: int
    """From 1."""
    hash: str
    ordinal: int
    """Which of several equal lines; 0 where there was one."""

    def __str__(self) -> str:
        return f"{self.line}:{self.hash}" + (f"~{self.ordinal}" if self.ordinal else "")


def read_anchor(text: str) -> Anchor:
    """An anchor from text, also with the line behind it; raises `BadAnchor`."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise BadAnchor(f"{text[:80]!r} is no anchor; give one as it was read, such as 12:3f9a0c1d.")
    return Anchor(int(found[1]), found[2], int(found[3] or 0))


def place_of(anchor: Anchor, lines: list[str]) -> int:
    """The line, from 0, that an anchor of this very text means; raises `BadAnchor` where none or several do.

    A wrong number is overlooked where no other line has the hash.
    """
    hashes = _hashes(lines)
    if 0 < anchor.line <= len(lines) and hashes[anchor.line - 1].startswith(anchor.hash):
        return anchor.line - 1
    return unique_place(anchor, lines)


def unique_place(anchor: Anchor, lines: list[str]) -> int:
    """The one line, from 0, that has the hash of an anchor whose number may be of another state of the text.

    Raises `BadAnchor` where several have it, or had when the anchor was made.
    """
    found = [place for place, one in enumerate(_hashes(lines)) if one.startswith(anchor.hash)]
    if not found:
        raise BadAnchor(f"No line has the anchor {anchor} any more; read the file again.")
    if len(found) > 1 or anchor.ordinal:
        numbers = ", ".join(str(place + 1) for place in found[:10])
        raise BadAnchor(
            f"The anchor {anchor} may mean any of the equal lines {numbers}; read the file again."
        )
    return found[0]


def anchors_of(lines: list[str]) -> list[Anchor]:
    """The anchors of all lines of a file, in order."""
    whole = _hashes(lines)
    sizes = _sizes(whole)
    counts, seen = Counter(whole), Counter[str]()
    made: list[Anchor] = []
    for number, one in enumerate(whole, 1):
        seen[one] += 1
        made.append(Anchor(number, one[: sizes[one]], seen[one] if counts[one] > 1 else 0))
    return made


def _hashes(lines: list[str]) -> list[str]:
    made: list[str] = []
    before = ""
    for line in lines:
        text = f"{before}\n{line}".encode("utf-8", "surrogatepass")
        made.append(hashlib.sha256(text).hexdigest())
        before = line if line.strip() else before
    return made


def _sizes(whole: list[str]) -> dict[str, int]:
    """How many digits each hash needs to differ from the others."""
    sizes: dict[str, int] = {}
    ordered = sorted(set(whole))
    for place, one in enumerate(ordered):
        shared = max(
            (
                _shared(one, other)
                for other in (*ordered[max(0, place - 1) : place], *ordered[place + 1 : place + 2])
            ),
            default=0,
        )
        sizes[one] = max(LEAST, shared + 1)
    return sizes


def _shared(one: str, other: str) -> int:
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b), len(one))

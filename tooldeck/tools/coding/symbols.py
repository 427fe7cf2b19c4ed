"""What a text defines: its symbols, and the name paths by which one of them is meant.

A name path is the names from the outside in, with slashes: ``Lamp/on``. A pattern fits every symbol whose
path ends so; a slash at its beginning asks for the whole path, and ``on[1]`` is the second of equal ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tooldeck.core.errors import ExpectedError

__all__ = ["Kind", "NamePath", "Symbol", "numbered", "shortened"]

Kind = Literal[
    "class", "constant", "enum", "field", "function", "impl", "interface", "macro", "member", "method",
    "namespace", "property", "struct", "trait", "type", "union", "variable",
]  # fmt: skip
_MOST_SIGNATURE = 160
_INDEX = re.compile(r"(.+)\[(\d{1,6})\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition in a text; places are in characters from 0, lines from 1."""

    name: str
    kind: str
    """One of `Kind`."""
    scope: tuple[str, ...]
    """The names around it, from the outside in."""
    start: int
    """Where it begins, with its decorators and modifiers."""
    stop: int
    lead: int
    """Where the comment begins that belongs to it; `start` where there is none."""
    name_at: int
    """Where its name stands."""
    line: int
    end_line: int
    signature: str
    doc: str = ""
    index: int | None = None
    """Which of several with the same path, from 0."""

    @property
    def path(self) -> str:
        """Its name path."""
        number = "" if self.index is None else f"[{self.index}]"
        return "/".join([*self.scope, self.name]) + number

    @property
    def depth(self) -> int:
        """How many names are around it."""
        return len(self.scope)


class NamePath:
    """A pattern of name paths. Raises `ExpectedError` for an empty one."""

    def __init__(self, text: str) -> None:
        plain = text.strip()
        found = _INDEX.fullmatch(plain)
        self.index = int(found[2]) if found is not None else None
        plain = found[1] if found is not None else plain
        self.whole = plain.startswith("/") and len(plain) > 1
        self.names = tuple(re.split(r"/(?!$)", plain.removeprefix("/") if self.whole else plain))
        if not all(self.names):
            raise ExpectedError(f"{text!r} is no name path; give one such as Lamp/on.")

    def fits(self, symbol: Symbol) -> bool:
        """Whether the symbol is one of those meant."""
        names = (*symbol.scope, symbol.name)
        if self.index is not None and (symbol.index or 0) != self.index:
            return False
        return names == self.names if self.whole else names[-len(self.names) :] == self.names


def numbered(symbols: Iterable[Symbol]) -> list[Symbol]:
    """In the order of the text, those with equal paths numbered."""
    found = sorted(symbols, key=lambda one: (one.start, -one.stop))
    counts = Counter((*one.scope, one.name) for one in found)
    seen = Counter[tuple[str, ...]]()
    made: list[Symbol] = []
    for one in found:
        key = (*one.scope, one.name)
        made.append(replace(one, index=seen[key]) if counts[key] > 1 else one)
        seen[key] += 1
    return made


def shortened(text: str, ends: Sequence[str] = ()) -> str:
    """The head of a definition in one line, without the sign that begins its body."""
    line = " ".join(text.split())
    for end in ends:
        line = line.removesuffix(end).rstrip()
    return line if len(line) <= _MOST_SIGNATURE else f"{line[:_MOST_SIGNATURE]}…"

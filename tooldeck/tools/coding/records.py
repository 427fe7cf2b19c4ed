"""What the actions of `code` give: records for Python, each with its text for a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from tooldeck.core.parts import Answer
from tooldeck.tools.checking.records import Finding
from tooldeck.tools.coding.symbols import Symbol
from tooldeck.tools.coding.units import Unit

__all__ = [
    "Body",
    "CodeChanged",
    "CodeHit",
    "CodeHits",
    "Diagnosis",
    "FoundSymbol",
    "Place",
    "Places",
    "Symbols",
]

_MOST = 24_000
"""Characters of an answer, beyond which a shorter form of it is given."""
_DIFF_LINES = 120


@dataclass(frozen=True, slots=True)
class FoundSymbol:
    """A symbol and where it is."""

    path: str
    """Of its file."""
    name_path: str
    name: str
    kind: str
    line: int
    """From 1; of a notebook within the cell."""
    end_line: int
    signature: str
    doc: str = ""
    cell: int | None = None
    """The number of the cell of a notebook, from 1."""

    @classmethod
    def of(cls, unit: Unit, symbol: Symbol) -> FoundSymbol:
        """A symbol of a piece of code."""
        return cls(
            unit.path, symbol.path, symbol.name, symbol.kind, symbol.line, symbol.end_line,
            symbol.signature, symbol.doc, unit.cell,
        )  # fmt: skip

    @property
    def place(self) -> str:
        """The file, and the cell where it has cells."""
        return self.path if self.cell is None else f"{self.path}, cell {self.cell}"


@dataclass(frozen=True, slots=True)
class Symbols:
    """Symbols by place."""

    symbols: tuple[FoundSymbol, ...]
    engine: str
    """What read the code."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""

    def _tool_answer_(self) -> Answer:
        forms = (self._full, self._names, self._counts)
        text = next((told for form in forms if len(told := "\n".join(form())) <= _MOST), "")
        head = "" if self.symbols else "There are no symbols."
        return Answer(self, "\n".join([*filter(None, [head, text or self._total()]), *self.notes]))

    def _by_place(self) -> Iterable[tuple[str, list[FoundSymbol]]]:
        return ((place, list(found)) for place, found in groupby(self.symbols, lambda one: one.place))

    def _full(self) -> Iterable[str]:
        for place, found in self._by_place():
            yield place
            for one in found:
                yield f"  {one.line}-{one.end_line}  {one.kind} {one.name_path}: {one.signature}"

    def _names(self) -> Iterable[str]:
        yield "[shortened: names only; ask for one file, or for a smaller depth]"
        for place, found in self._by_place():
            yield f"{place}: {', '.join(one.name_path for one in found)}"

    def _counts(self) -> Iterable[str]:
        yield "[shortened: numbers of symbols only; ask for one file or folder]"
        for place, found in self._by_place():
            kinds = Counter(one.kind for one in found)
            yield f"{place}: {', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}"

    def _total(self) -> str:
        places = len({one.place for one in self.symbols})
        return f"[shortened: {len(self.symbols)} symbols in {places} files; ask for one folder]"


@dataclass(frozen=True, slots=True)
class Body:
    """The text of one symbol."""

    symbol: FoundSymbol
    text: str
    hash: str
    """Of its file, for a change."""

    def _tool_answer_(self) -> Answer:
        one = self.symbol
        head = (
            f"{one.place}: {one.kind} {one.name_path}, lines {one.line} to {one.end_line}, hash {self.hash}"
        )
        return Answer(self, f"{head}\n{self.text}")


@dataclass(frozen=True, slots=True)
class CodeHit:
    """A piece of code that fits a pattern."""

    path: str
    line: int
    end_line: int
    text: str
    captured: tuple[tuple[str, str], ...] = ()
    """What the names of the pattern stand for."""
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class CodeHits:
    """The pieces that were found, in order."""

    hits: tuple[CodeHit, ...]
    more: bool
    engine: str
    notes: tuple[str, ...] = ()

    def _tool_answer_(self) -> Answer:
        lines: list[str] = []
        for one in self.hits:
            place = one.path if one.cell is None else f"{one.path}, cell {one.cell}"
            shown = one.text.splitlines()
            more = [f"    [{len(shown) - 8} more lines]"] if len(shown) > 9 else []
            lines += [
                f"{place}:{one.line}: {shown[0] if shown else ''}",
                *(f"    {line}" for line in shown[1:9]),
            ]
            lines += more
        lines += [f"[the first {len(self.hits)}; there are more]"] if self.more else []
        return Answer(self, "\n".join([*(lines or ["Nothing was found."]), *self.notes]))


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the code."""

    path: str
    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    text: str
    """The line."""
    symbol: str = ""
    """The name path of what it is in, or what it defines."""
    cell: int | None = None

    def __str__(self) -> str:
        where = self.path if self.cell is None else f"{self.path}, cell {self.cell}"
        inside = f"  [in {self.symbol}]" if self.symbol else ""
        return f"{where}:{self.line}:{self.column}: {self.text.strip()[:160]}{inside}"


@dataclass(frozen=True, slots=True)
class Places:
    """Where something is defined or used."""

    places: tuple[Place, ...]
    engine: str
    notes: tuple[str, ...] = ()

    def _tool_answer_(self) -> Answer:
        head = (
            f"{len(self.places)} places ({self.engine}):"
            if self.places
            else f"None was found ({self.engine})."
        )
        return Answer(self, "\n".join([head, *map(str, self.places), *self.notes]))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a checker says of code that it did not say before it was changed."""

    name: str
    """``lint`` or ``types``."""
    new: tuple[Finding, ...] = ()
    engine: str = ""
    """What checked it; empty where nothing did."""
    note: str = ""
    """Why it was not checked."""

    def __str__(self) -> str:
        if not self.engine:
            return f"[{self.name} not checked: {self.note}]"
        if not self.new:
            return f"[{self.engine}: no new findings]"
        return "\n".join([f"[{self.engine}: {len(self.new)} new findings]", *map(str, self.new[:20])])


@dataclass(frozen=True, slots=True)
class CodeChanged:
    """Files that were changed, or would be."""

    files: tuple[tuple[str, str], ...]
    """Paths, each with the hash of the file as it is now, or would be."""
    diff: str
    done: bool
    told: str
    diagnoses: tuple[Diagnosis, ...] = ()
    notes: tuple[str, ...] = ()

    def _tool_answer_(self) -> Answer:
        lines = self.diff.splitlines()
        more = [f"[{len(lines) - _DIFF_LINES} more lines]"] if len(lines) > _DIFF_LINES else []
        head = [f"{'Changed' if self.done else 'Would change'}: {self.told}"]
        head += [f"{path}: hash {hash_}" for path, hash_ in self.files] if self.done else []
        tail = map(str, self.diagnoses)
        return Answer(self, "\n".join([*head, *lines[:_DIFF_LINES], *more, *tail, *self.notes]))

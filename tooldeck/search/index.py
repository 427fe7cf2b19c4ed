"""The index of a deck's tools: SQLite's FTS5 in memory, with Porter's stemming, kept up to date tool by tool.

A query is answered in steps: tools whose names are in it; tools that have all of its words; all of its words
or ones that are spelled nearly so; then any of them, where rare words decide and common ones only rank.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tooldeck.core.errors import StoreError
from tooldeck.core.tool import Tool
from tooldeck.core.words import index, pairs_of, pieces, words_of
from tooldeck.search.names import named_in, split_name, squeezed
from tooldeck.search.spelling import Vocabulary

if TYPE_CHECKING:
    import sqlite3

__all__ = ["ToolIndex"]

_WEIGHTS = "5.0, 1.0, 0.5, 1.0"
"""What a word counts in the columns ``name``, ``said``, ``given`` and ``pairs``."""
_RANKED = f"SELECT rowid FROM tools WHERE tools MATCH ? ORDER BY bm25(tools, {_WEIGHTS}), rowid LIMIT ?"  # noqa: S608
_MOST_WORDS = 24
_COMMON = 400
"""Tools that have a word which alone makes none of them a good answer."""
_FIRST = 60
"""Answers that are looked at first; more where most of them cannot be used."""
_STOP_WORDS = frozenset(
    """
    a about all an and any are as at be but by can could do does for from give has have how i if in into
    is it its like make may me my need needs of on one or our please shall should so some something that
    the their them then there these they this those to tool tools up us use using want was we what when
    where which who will with would you your
    """.split()  # noqa: SIM905 - as a list it would fill a page
)


class _Term(NamedTuple):
    """A piece of a query, as FTS5 reads it, and how many tools have it."""

    word: str
    asked: str
    having: int


class ToolIndex:
    """The tools of one deck. Safe from every thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._rows: dict[str, tuple[int, Tool]] = {}
        self._names: dict[int, str] = {}
        self._spellings: dict[str, dict[str, None]] = {}
        self._vocabulary = Vocabulary()
        self._unread: list[str] = []
        self._counts: dict[str, int] = {}
        self._next = 1

    def update(self, tools: Mapping[str, Tool]) -> None:
        """Take in what is new or changed among `tools`, and drop what is gone. Raises `StoreError`."""
        with self._lock:
            gone = [name for name, (_, tool) in self._rows.items() if tools.get(name) is not tool]
            again = set(gone)
            fresh = [tool for name, tool in tools.items() if name not in self._rows or name in again]
            if not gone and not fresh:
                return
            database = self._open()
            with database:
                database.executemany(
                    "DELETE FROM tools WHERE rowid = ?", [(self._dropped(name),) for name in gone]
                )
                database.executemany(
                    "INSERT INTO tools (rowid, name, said, given, pairs) VALUES (?, ?, ?, ?, ?)",
                    map(self._row, fresh),
                )
            self._counts.clear()

    def find(self, query: str, limit: int, usable: Callable[[str], bool]) -> list[str]:
        """Names of the tools that fit a query best, `limit` at most, of those that are `usable`.

        A tool whose name is in the query is always among them, and comes first.
        """
        with self._lock:
            found: dict[str, None] = {}
            for name in self._named(query):
                if usable(name):
                    found[name] = None
            if len(found) < limit:
                for name in self._fitting(query):
                    if name not in found and usable(name):
                        found[name] = None
                        if len(found) >= limit:
                            break
            return list(found)

    # -- keeping

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            import sqlite3

            database = sqlite3.connect(":memory:", check_same_thread=False)
            try:
                database.execute(
                    "CREATE VIRTUAL TABLE tools USING fts5(name, said, given, pairs, tokenize='porter ascii')"
                )
            except sqlite3.OperationalError as error:
                raise StoreError(
                    f"Tools cannot be searched: the SQLite of this Python has no FTS5 ({error})."
                ) from None
            self._database = database
        return self._database

    def _row(self, tool: Tool) -> tuple[int, str, str, str, str]:
        row, self._next = self._next, self._next + 1
        self._rows[tool.name] = (row, tool)
        self._names[row] = tool.name
        for spelling in _spellings(tool.name):
            self._spellings.setdefault(spelling, {})[tool.name] = None
        texts = f"{split_name(tool.name)} {tool.title}", _said(tool), " ".join(_given(tool))
        self._unread += texts
        (names, name_pairs), (said, said_pairs), (given, given_pairs) = map(index, texts)
        return row, names, said, given, f"{name_pairs} {said_pairs} {given_pairs}"

    def _dropped(self, name: str) -> int:
        row, _ = self._rows.pop(name)
        del self._names[row]
        for spelling in _spellings(name):
            self._spellings.get(spelling, {}).pop(name, None)
        return row

    # -- finding

    def _named(self, query: str) -> Iterator[str]:
        for spelling in named_in(query):
            yield from self._spellings.get(spelling, ())

    def _fitting(self, query: str) -> Iterator[str]:
        """Names, the best first; may give one twice."""
        if self._database is None:
            return
        terms = self._terms(query)
        if not terms:
            return
        if len(terms) > 1 or terms[0].having:
            yield from self._ranked(" AND ".join(term.asked for term in terms))
        mended = [self._mended(term) for term in terms]
        if mended != terms:
            yield from self._ranked(" AND ".join(term.asked for term in mended if term.having))
        yield from self._ranked(
            _any(one if one.having else other for one, other in zip(terms, mended, strict=True))
        )

    def _terms(self, query: str) -> list[_Term]:
        """The pieces of a query that say something; all of them where none does."""
        words: dict[str, str] = {}
        for dense, found in pieces(split_name(query[:2_000])):
            words.update((word, _phrase(word) if dense else f'"{word}"') for word in found)
        telling = {word: asked for word, asked in words.items() if word not in _STOP_WORDS} or words
        return [_Term(word, asked, self._count(asked)) for word, asked in list(telling.items())[:_MOST_WORDS]]

    def _mended(self, term: _Term) -> _Term:
        """The term, or what is spelled nearly so."""
        if not term.word.isascii() and not term.having and len(pairs := pairs_of(term.word)) > 2:
            asked = f"({' OR '.join(chr(34) + pair + chr(34) for pair in pairs[:-1])})"
            return _Term(term.word, asked, self._count(asked))
        self._read()
        near = self._vocabulary.near(term.word)
        if not near and not term.having:
            near = self._vocabulary.like(term.word)
        if not near:
            return term
        asked = f"({' OR '.join([term.asked, *(chr(34) + word + chr(34) for word in near)])})"
        return _Term(term.word, asked, self._count(asked))

    def _read(self) -> None:
        """Take the words of new tools into the vocabulary, which only a query needs."""
        if self._unread:
            self._vocabulary.add(words_of(" ".join(self._unread)))
            self._unread.clear()

    def _count(self, asked: str) -> int:
        """How many tools have a term, counted no further than to tell that it is common."""
        known = self._counts.get(asked)
        if known is None:
            sql = f"SELECT count(*) FROM (SELECT 1 FROM tools WHERE tools MATCH ? LIMIT {_COMMON + 1})"  # noqa: S608
            known = self._counts[asked] = self._run(sql, asked)[0][0]
        return known

    def _ranked(self, asked: str) -> Iterator[str]:
        """Names of what matches; asked for again, and further, where the first do not do."""
        if not asked:
            return
        wanted, before = _FIRST, 0
        while True:
            rows = self._run(_RANKED, asked, wanted)
            for (row,) in rows[before:]:
                yield self._names[row]
            if len(rows) < wanted:
                return
            wanted, before = wanted * 10, len(rows)

    def _run(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._open().execute(sql, values).fetchall()


def _any(terms: Iterable[_Term]) -> str:
    """Any of the words, as FTS5 reads it. Common ones count only beside a rare one, where there is one."""
    having = [term for term in terms if term.having]
    rare = [term.asked for term in having if term.having <= _COMMON]
    common = [term.asked for term in having if term.having > _COMMON]
    if not rare or not common:
        return " OR ".join(rare or common)
    told = " OR ".join(rare)
    return f"({told}) OR (({told}) AND ({' OR '.join(common)}))"


def _phrase(word: str) -> str:
    """A run of a dense script: its pairs in order, or the beginning of one."""
    return f'"{word}" *' if len(word) == 1 else f'"{" ".join(pairs_of(word)[:-1])}"'


def _spellings(name: str) -> tuple[str, ...]:
    """A name, squeezed, and without the label of its server."""
    label, _, rest = name.rpartition("__")
    return (squeezed(name), squeezed(rest)) if label and rest else (squeezed(name),)


def _said(tool: Tool) -> str:
    if not tool.actions:
        return tool.description
    return "\n".join([tool.description, *(one.description for one in tool.actions.values())])


def _given(tool: Tool) -> Iterator[str]:
    """The parameters: their names, what is said of them, what they may be."""
    properties = tool.parameters.get("properties")
    for name, schema in properties.items() if isinstance(properties, Mapping) else ():
        yield split_name(str(name))
        if isinstance(schema, Mapping):
            yield str(schema.get("description") or "")
            chosen = schema.get("enum")
            yield from map(str, chosen if isinstance(chosen, list) else ())

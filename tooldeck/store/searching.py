"""Full-text search in the store: what of a text goes into an index, and what a query becomes.

An index is an FTS5 table with the columns ``words`` and ``pairs`` of `tooldeck.core.words`, which cuts and
folds both. A query is cut in the same way and every piece of it quoted, so that no sign in it means anything
to FTS5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

from tooldeck.core.errors import ExpectedError, StoreError
from tooldeck.core.words import fold, pairs_of, pieces
from tooldeck.store.protocol import Store

__all__ = ["CANDIDATES", "Hit", "Term", "make_index", "matching", "own_expression", "snippet", "terms"]

MOST_TERMS = 32
"""Pieces of a query that are looked for; the others are left out."""
CANDIDATES = 300
"""Matches that are ranked, the best by their words."""
_SNIPPED = 50_000
"""Characters of a text in which a snippet is looked for."""
How = Literal["all", "beginnings", "any"]


class Term(NamedTuple):
    """A piece of a query: tokens that must follow each other in one of the columns."""

    column: Literal["words", "pairs"]
    tokens: tuple[str, ...]
    begins: bool = False
    """Whether the last token may be longer in the text."""


class Hit(NamedTuple):
    """A row that matches."""

    row: int
    score: float
    """How well, by BM25; the greater the better."""


def terms(query: str) -> list[Term]:
    """The pieces of a query; empty for one that has no words in it."""
    found: list[Term] = []
    for chunk in query.split():
        for dense, words in pieces(chunk):
            if not dense:
                found.append(Term("words", tuple(words)))
            elif len(words[0]) == 1:
                found.append(Term("pairs", (words[0],), begins=True))
            else:
                found.append(Term("pairs", tuple(pairs_of(words[0])[:-1])))
    return list(dict.fromkeys(found))[:MOST_TERMS]


def expression(wanted: Sequence[Term], how: How) -> str:
    """What is asked of FTS5."""
    return (" OR " if how == "any" else " AND ").join(_one(term, how) for term in wanted)


def _one(term: Term, how: How) -> str:
    longer = term.begins or (how != "all" and term.column == "words" and len(term.tokens[-1]) > 1)
    return f'({term.column} : "{" ".join(term.tokens)}"{"*" if longer else ""})'


_OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR"})


def own_expression(query: str) -> str:
    """An expression in the language of FTS5 (``AND OR NOT NEAR``, ``"a phrase"``, ``begin*``), ready to ask.

    Its words are folded as those of the texts were; it sees words of alphabets only.
    """
    folded = re.sub(r"\w+", lambda word: word[0] if word[0] in _OPERATORS else fold(word[0]), query)
    return f"words : ({folded})"


def matching(
    store: Store,
    table: str,
    wanted: Sequence[Term],
    where: str,
    values: Sequence[Any],
    *,
    own: str = "",
) -> tuple[How, list[Hit]]:
    """The best rows of `table`, whose index is ``<table>_index``, that fit a query and the condition `where`.

    All pieces must occur; where that fits none, words may be beginnings of words; then any will do. `own` is
    an expression in place of the pieces (see `own_expression`); raises `ExpectedError` for one that is none.
    """
    if not wanted and not own:
        return "all", []
    sql = (
        f"SELECT x.rowid, -bm25({table}_index) FROM {table}_index x JOIN {table} t ON t.id = x.rowid"  # noqa: S608
        f" WHERE {table}_index MATCH ? AND {where} ORDER BY 2 DESC, 1 DESC LIMIT {CANDIDATES}"
    )
    ways: tuple[How, ...] = ("all",) if own else ("all", "beginnings", "any")
    for how in ways:
        try:
            rows = store.run(sql, (own or expression(wanted, how), *values)).rows
        except StoreError as error:
            if own and _BAD.search(str(error)):
                raise ExpectedError(f"This is no FTS5 expression: {_reason(error)}") from None
            if "no such table" in str(error) or "no such module" in str(error):
                raise StoreError(
                    "Nothing can be searched: the SQLite of this Python was built without FTS5."
                ) from None
            raise
        if rows:
            return how, [Hit(*row) for row in rows]
    return ways[-1], []


_BAD = re.compile(r"\((fts5: [^()]*|no such column[^()]*|unterminated[^()]*|unknown special[^()]*)")


def _reason(error: StoreError) -> str:
    found = _BAD.search(str(error))
    words = found[1].strip() if found is not None else "it cannot be read"
    return f"{words}. Put words with signs in quotes, or leave out syntax to look for words."


def make_index(run: Callable[[str], Any], table: str) -> None:
    """Make the index of a table with the columns ``id``, ``words`` and ``pairs``, and keep it up to date.

    A SQLite without FTS5 gets none: everything but the search works there.
    """
    if ("ENABLE_FTS5",) not in run("PRAGMA compile_options").fetchall():
        return
    name = f"{table}_index"
    run(
        f"CREATE VIRTUAL TABLE {name} USING fts5(words, pairs, content='{table}', content_rowid='id',"
        " tokenize='ascii')"
    )
    columns = "rowid, words, pairs"
    put = f"INSERT INTO {name} ({columns}) VALUES (new.id, new.words, new.pairs);"  # noqa: S608 - our names
    drop = (
        f"INSERT INTO {name} ({name}, {columns}) VALUES"  # noqa: S608 - our names
        " ('delete', old.id, old.words, old.pairs);"
    )
    run(f"CREATE TRIGGER {table}_put AFTER INSERT ON {table} BEGIN {put} END")
    run(f"CREATE TRIGGER {table}_drop AFTER DELETE ON {table} BEGIN {drop} END")
    run(f"CREATE TRIGGER {table}_change AFTER UPDATE OF words, pairs ON {table} BEGIN {drop} {put} END")


def snippet(text: str, wanted: Iterable[Term], chars: int = 200) -> str:
    """The part of a text around the first pieces of a query in it, each of those between two ``**``."""
    short = text[:_SNIPPED]
    folded, places = _mapped(short)
    sought = {_sought(term) for term in wanted}
    alternatives = "|".join(re.escape(one) for one in sorted(sought, key=len, reverse=True) if one)
    found = list(re.finditer(alternatives, folded)) if alternatives else []
    if not found:
        return _cut(short, 0, chars, len(text), [])
    marks = [(places[one.start()], places[one.end() - 1] + 1) for one in found]
    start = max(0, marks[0][0] - chars // 4)
    return _cut(short, start, start + chars, len(text), marks)


def _sought(term: Term) -> str:
    if term.column == "words":
        return max(term.tokens, key=len)
    return "".join([token[0] for token in term.tokens[:-1]] + [term.tokens[-1]])


def _mapped(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the place in `text` that it comes from."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded, list(range(len(text)))
    pieces = [fold(char) for char in text]
    return "".join(pieces), [place for place, piece in enumerate(pieces) for _ in piece]


def _cut(text: str, start: int, end: int, whole: int, marks: list[tuple[int, int]]) -> str:
    shown: list[str] = ["…"] if start else []
    at = start
    for first, last in marks:
        if at <= first and last <= end:
            shown += [text[at:first], "**", text[first:last], "**"]
            at = last
    shown.append(text[at:end])
    if end < whole:
        shown.append("…")
    return " ".join("".join(shown).split())

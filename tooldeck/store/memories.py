"""Lasting notes by namespace and key: the table behind the memory of a deck.

Every change is one statement of SQLite, so that writers at the same time lose nothing and a killed one
leaves nothing half done.
"""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tooldeck.core.errors import DefinitionError, StoreError
from tooldeck.core.words import index
from tooldeck.store.protocol import Ran, Store
from tooldeck.store.searching import How, matching, snippet, terms

__all__ = ["Found", "Memories", "Memory", "normal_key"]

LONGEST_KEY = 500
"""Characters of a key, of a namespace and of a tag."""
LONGEST_VALUE = 200_000
"""Characters of a value as JSON."""
_COLUMNS = "namespace, key, value, tags, created, updated, expires, version"
_ALIVE = "coalesce(expires, 9e999) > ?"
_TRIES = 5
"""How often a change is tried while other programs write; each try waits as long as the store does."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A note. Times are seconds since 1970."""

    namespace: str
    key: str
    value: Any
    tags: tuple[str, ...]
    created: float
    updated: float
    expires: float | None
    """When it is forgotten; None never."""
    version: int
    """1 at first, one more with every change."""


@dataclass(frozen=True, slots=True)
class Found:
    """A note that fits a search."""

    memory: Memory
    score: float
    snippet: str
    """The part that fits, with ``**`` around the words."""


class Memories:
    """The notes in a store; `now` gives seconds since 1970. Every method raises `StoreError`."""

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._now = now

    def put(
        self,
        namespace: str,
        key: str,
        value: Any,
        *,
        tags: Iterable[str] = (),
        ttl: float | None = None,
        if_version: int | None = None,
    ) -> Memory | None:
        """Keep a JSON value, in place of an earlier one of this key.

        With `if_version` only where that is the version now, 0 where there is none; else the answer is None.
        `ttl` is in seconds. Raises `DefinitionError` for what cannot be kept.
        """
        now, space, name = self._now(), normal_key(namespace), normal_key(key)
        text = _to_json(value)
        labels = tuple(dict.fromkeys(normal_key(tag) for tag in tags))
        words, pairs = index("\n".join([name, *labels, _readable(value)]))
        self._write("DELETE FROM memories WHERE expires <= ?", (now,))
        expected = (
            "EXISTS (SELECT 1 FROM memories WHERE namespace = ?1 AND key = ?2 AND version = ?9)"
            " OR (?9 = 0 AND NOT EXISTS (SELECT 1 FROM memories WHERE namespace = ?1 AND key = ?2))"
        )
        made = self._write(
            "INSERT INTO memories (namespace, key, value, tags, created, updated, expires, version, words,"
            f" pairs) SELECT ?1, ?2, ?3, ?4, ?5, ?5, ?6, 1, ?7, ?8 WHERE ?9 IS NULL OR {expected}"
            " ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, tags = excluded.tags,"
            " updated = excluded.updated, expires = excluded.expires, version = version + 1,"
            f" words = excluded.words, pairs = excluded.pairs RETURNING {_COLUMNS}",
            (
                space,
                name,
                text,
                json.dumps(labels),
                now,
                None if ttl is None else now + ttl,
                words,
                pairs,
                if_version,
            ),
        )
        return _memory(made.rows[0]) if made.rows else None

    def get(self, namespace: str, key: str) -> Memory | None:
        """The note of this very key."""
        rows = self._store.run(
            f"SELECT {_COLUMNS} FROM memories WHERE namespace = ? AND key = ? AND {_ALIVE}",  # noqa: S608
            (normal_key(namespace), normal_key(key), self._now()),
        ).rows
        return _memory(rows[0]) if rows else None

    def delete(self, namespace: str, key: str) -> bool:
        """Forget a note; whether there was one."""
        gone = self._write(
            f"DELETE FROM memories WHERE namespace = ? AND key = ? AND {_ALIVE} RETURNING 1",  # noqa: S608
            (normal_key(namespace), normal_key(key), self._now()),
        )
        return bool(gone.rows)

    def page(self, namespace: str, *, prefix: str = "", after: str = "", n: int = 50) -> list[Memory]:
        """Notes of a namespace in the order of their keys: those that begin with `prefix`, after a key."""
        rows = self._store.run(
            f"SELECT {_COLUMNS} FROM memories WHERE namespace = ? AND key > ? AND substr(key, 1, ?) = ?"  # noqa: S608
            f" AND {_ALIVE} ORDER BY key LIMIT ?",
            (normal_key(namespace), _nfc(after), len(_nfc(prefix)), _nfc(prefix), self._now(), n),
        ).rows
        return [_memory(row) for row in rows]

    def namespaces(self) -> dict[str, int]:
        """How many notes each namespace has."""
        sql = f"SELECT namespace, count(*) FROM memories WHERE {_ALIVE} GROUP BY 1 ORDER BY 1"  # noqa: S608
        return dict(self._store.run(sql, (self._now(),)).rows)

    def search(
        self, query: str, *, namespace: str | None = None, tags: Sequence[str] = (), n: int = 10
    ) -> tuple[How, list[Found]]:
        """Notes whose key, tags or value have the words of `query`, best first, and how strictly they fit.

        Of two that fit alike, the one changed later comes first. All of `tags` must be there.
        """
        now = self._now()
        where = [_ALIVE]
        values: list[Any] = [now]
        if namespace is not None:
            where.append("t.namespace = ?")
            values.append(normal_key(namespace))
        for tag in tags:
            where.append("EXISTS (SELECT 1 FROM json_each(t.tags) WHERE value = ?)")
            values.append(normal_key(tag))
        wanted = terms(query)
        how, hits = matching(self._store, "memories", wanted, " AND ".join(where), values)
        kept = self._by_row([hit.row for hit in hits])
        found = [
            Found(memory, _score(hit.score, now - memory.updated), snippet(_readable(memory.value), wanted))
            for hit in hits
            if (memory := kept.get(hit.row)) is not None
        ]
        return how, sorted(found, key=lambda one: one.score, reverse=True)[:n]

    def _by_row(self, rows: Sequence[int]) -> dict[int, Memory]:
        if not rows:
            return {}
        chosen = self._store.run(
            f"SELECT id, {_COLUMNS} FROM memories WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608
            (json.dumps(rows),),
        ).rows
        return {row[0]: _memory(row[1:]) for row in chosen}

    def _write(self, sql: str, values: Sequence[Any]) -> Ran:
        """Run a statement that changes, again while other programs hold the database."""
        for _ in range(_TRIES - 1):
            with suppress(_Busy):
                return self._once(sql, values)
        return self._store.run(sql, values)

    def _once(self, sql: str, values: Sequence[Any]) -> Ran:
        try:
            return self._store.run(sql, values)
        except StoreError as error:
            if "locked" in str(error.__cause__):
                raise _Busy from None
            raise


class _Busy(Exception):
    """Another program writes."""


def _score(relevance: float, age: float) -> float:
    """Relevance, halved for old notes: half of that half is gone within a month."""
    return relevance * (0.5 + 0.5 * 0.5 ** (max(0.0, age) / 2_592_000))


def normal_key(text: str) -> str:
    """A name as it is kept: the composed form of Unicode (NFC); raises `DefinitionError` where it is none."""
    name = _nfc(text)
    if not name or len(name) > LONGEST_KEY:
        raise DefinitionError(
            f"A key, a namespace or a tag has 1 to {LONGEST_KEY} characters, this one has {len(name)}."
        )
    try:
        name.encode()
    except UnicodeEncodeError:
        raise DefinitionError(f"{name!r} cannot be a key: it has half of a surrogate pair in it.") from None
    return name


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _to_json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DefinitionError(f"Only JSON can be kept: {error}.") from None
    if len(text) > LONGEST_VALUE:
        raise DefinitionError(
            f"A value may have {LONGEST_VALUE} characters as JSON, this one has {len(text)}; keep it in "
            "a file and remember its path."
        )
    return text


def _readable(value: Any) -> str:
    """A value as words for the index and for snippets."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()


def _memory(row: Sequence[Any]) -> Memory:
    namespace, key, value, tags, created, updated, expires, version = row
    return Memory(
        namespace, key, json.loads(value), tuple(json.loads(tags)), created, updated, expires, version
    )

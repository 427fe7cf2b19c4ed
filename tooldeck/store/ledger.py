"""Which files the tools of a deck wrote, and which of them have text from elsewhere in them.

The ledger watches a workspace. What it knows of a file outlives the deck where that has a database. A file
that holds outside text stays marked when it is copied (its hash is known) or edited (its path is), until a
tool replaces it by something else.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from tooldeck.core.current import CURRENT
from tooldeck.core.result import ToolResult
from tooldeck.store.borrowed import borrowed_from
from tooldeck.store.protocol import Store
from tooldeck.store.sparing import Sparing
from tooldeck.store.sqlite import SqliteStore

__all__ = ["Ledger", "Wrote"]

KEPT = 50_000
"""Changes that stay; the oldest beyond them go when a deck begins to write."""
_COLUMNS = "id, path, digest, made, at, call, tool, source"


class Wrote(NamedTuple):
    """A change of a file by a tool."""

    id: int
    path: str
    digest: str | None
    """SHA-256 of the file after the change; None where it was removed."""
    made: bool
    """Whether there was no file before."""
    at: float
    """Seconds since 1970."""
    call: str
    tool: str
    source: str
    """Where text in it comes from that is not to be trusted; empty where nothing says so."""


class Ledger:
    """The changes of all workspaces of a deck; `recent` gives its last results, for calls outside of runs."""

    def __init__(self, store: Store | None, recent: Callable[[], Iterable[ToolResult]]) -> None:
        self._given = store
        self._own: SqliteStore | None = None
        self._recent = recent
        self._write = Sparing("Changes of files")
        self._seen = 0
        self._by_digest: dict[str, str] = {}
        self._by_path: dict[tuple[str, str], str] = {}

    def watcher(self, folder: str) -> Watching:
        """What hears of the files of one workspace."""
        return Watching(self, folder)

    @property
    def _store(self) -> Store:
        if self._given is not None:
            return self._given
        if self._own is None:
            self._own = SqliteStore()
        return self._own

    def last(self) -> int:
        """The number of the last change; 0 while there is none."""
        return self._store.run("SELECT coalesce(max(id), 0) FROM writes").rows[0][0]

    def since(self, folder: str, id: int) -> list[Wrote]:
        """The changes in a workspace after the one of this number, in order."""
        rows = self._store.run(
            f"SELECT {_COLUMNS} FROM writes WHERE folder = ? AND id > ? ORDER BY id",  # noqa: S608
            (folder, id),
        ).rows
        return [Wrote(*row)._replace(made=bool(row[3])) for row in rows]

    def source(self, folder: str, path: str, data: bytes) -> str:
        """Where untrusted text in this file comes from; empty where none is known to be in it."""
        if self._given is None and self._own is None:
            return ""
        self._catch_up()
        if not self._by_digest and not self._by_path:
            return ""
        return self._by_path.get((folder, path)) or self._by_digest.get(_hash(data), "")

    def _catch_up(self) -> None:
        """Read what was written since the last look, also by other programs."""
        sql = "SELECT id, folder, path, digest, source FROM writes WHERE id > ? ORDER BY id"
        for id, folder, path, digest, source in self._store.run(sql, (self._seen,)).rows:  # noqa: A001
            self._seen = id
            if source and digest is not None:
                self._by_digest[digest] = source
                self._by_path[folder, path] = source
            else:
                self._by_path.pop((folder, path), None)

    def wrote(
        self, folder: str, path: str, data: bytes | None, *, made: bool, by_program: bool = False
    ) -> None:
        """Write down a change, and who made it; never raises. See `tooldeck.guards.entries.Watcher`."""
        self._write(partial(self._wrote, folder, path, data, made=made, by_program=by_program))

    def _wrote(self, folder: str, path: str, data: bytes | None, *, made: bool, by_program: bool) -> None:
        call = CURRENT.get()
        digest = None if data is None else _hash(data)
        self._catch_up()
        known = self._by_digest.get(digest or "", "")
        if by_program and not known:  # what it left of the text that was there is as untrusted as before
            known = self._by_path.get((folder, path), "")
        source = "" if data is None else known or _source(call, data, self._recent)
        if self._seen == 0:
            self._store.run("DELETE FROM writes WHERE id <= (SELECT max(id) FROM writes) - ?", (KEPT,))
        self._store.run(
            "INSERT INTO writes (folder, path, digest, made, at, call, tool, source)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (folder, path, digest, made, time.time(), "" if call is None else call.id,
             "" if call is None or call.tool is None else call.tool.label, source),
        )  # fmt: skip


class Watching:
    """The ledger's ear at one workspace; see `tooldeck.guards.entries.Watcher`."""

    def __init__(self, ledger: Ledger, folder: str) -> None:
        self._ledger = ledger
        self._given = folder
        self._look = Sparing("Marks of files")

    @property
    def _folder(self) -> str:
        return os.path.realpath(self._given)  # now: when the deck was made it need not have been there

    def read(self, path: str, data: bytes, /) -> None:
        """Mark the call that reads outside text from a file."""
        call = CURRENT.get()
        if call is not None and not call.log.outside:
            self._look(self._mark, call, path, data)

    def _mark(self, call: Any, path: str, data: bytes) -> None:
        source = self._ledger.source(self._folder, path, data)
        if source:
            call.log.outside = f"{path} has text from {source}"

    def wrote(self, path: str, data: bytes | None, /, *, made: bool, by_program: bool = False) -> None:
        """Write the change down."""
        self._ledger.wrote(self._folder, path, data, made=made, by_program=by_program)


def _source(call: Any, data: bytes, recent: Callable[[], Iterable[ToolResult]]) -> str:
    """Where text comes from that this call writes, as far as it may be from elsewhere."""
    if call is None:
        return ""
    log = call.log
    while log is not None:
        if log.outside or log.handed:
            return log.handed or log.outside.partition(" has text from ")[2]
        log = log.outer
    run = call.caller.run
    if run is not None:  # a model may write what it read in words of its own
        return run.outside
    return borrowed_from(data, recent())


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

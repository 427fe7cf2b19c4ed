"""The store that comes with Python: one SQLite file, opened when first needed, shared by all threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tooldeck.core.errors import DefinitionError, StoreError
from tooldeck.core.strangers import file_fault
from tooldeck.store.migrations import MIGRATIONS
from tooldeck.store.protocol import Ran, Store

if TYPE_CHECKING:
    import sqlite3

__all__ = ["SqliteStore", "open_store"]

BUSY_SECONDS = 1.0
"""How long a statement waits for another program that writes, before it is given up."""
_MEMORY = ":memory:"
_OWN_FOLDER = ".tooldeck"
_REMEDY = "move it away, or give the deck another one with Deck(store=…)"
_left_by_parents: list[Any] = []
# Connections of a parent process: closing them in the child would release locks that the parent holds.


def open_store(given: str | os.PathLike[str] | Store | None) -> Store | None:
    """The store that an option means: a path, ``":memory:"``, a `Store` or None. Opens nothing yet."""
    if given is None:
        return None
    if isinstance(given, str | os.PathLike):
        return SqliteStore(given)
    if isinstance(given, Store):
        return given
    raise DefinitionError(f'store must be a path, ":memory:", a Store or None, got {given!r}.')


class SqliteStore:
    """A `Store` in a file, or in memory for as long as the object lives.

    The file and its folder are made by the first statement. Several programs may use one file at a time.
    """

    def __init__(self, path: str | os.PathLike[str] = _MEMORY) -> None:
        self._path = os.fspath(path)
        if not isinstance(self._path, str) or not self._path:
            raise DefinitionError(f'store must be the path of a file or ":memory:", got {path!r}.')
        if self._path != _MEMORY:  # a later change of the working folder must not change the file
            self._path = str(Path(self._path).expanduser().absolute())
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._pid = os.getpid()

    @property
    def place(self) -> str:
        """The absolute path, or ``:memory:``."""
        return self._path

    def run(self, sql: str, values: Sequence[Any] = (), /) -> Ran:
        """See `Store.run`."""
        import sqlite3

        self._after_fork()
        with self._lock:
            try:
                cursor = self._opened().execute(sql, values)
                rows = cursor.fetchall()
            except sqlite3.Error as error:
                raise StoreError(_sentence(self._path, error)) from error
            return Ran(rows, max(0, cursor.rowcount), cursor.lastrowid or 0)

    def close(self) -> None:
        """See `Store.close`. What was in memory is gone then."""
        self._after_fork()
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _after_fork(self) -> None:
        """In a child process, start afresh: neither lock nor connection can be shared with the parent."""
        if self._pid != os.getpid():
            _left_by_parents.append(self._connection)
            self._pid, self._connection, self._lock = os.getpid(), None, threading.RLock()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _connect(self._path)
        return self._connection

    def __del__(self) -> None:
        with suppress(Exception):  # whatever is left of a half-made object or a dying interpreter
            self.close()

    def __repr__(self) -> str:
        return f"<SqliteStore {self._path}>"


def _connect(path: str) -> sqlite3.Connection:
    import sqlite3

    if path != _MEMORY:
        _prepare(Path(path))
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        with suppress(sqlite3.OperationalError):  # a file that may only be read can still be read
            connection.execute("PRAGMA journal_mode = WAL")
        # Enough to survive the death of this program; only a power cut may lose the last moments.
        connection.execute("PRAGMA synchronous = NORMAL")
        _migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(path: Path) -> None:
    """Make the folder, which git shall not look into, and a file that other people cannot read."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        ignore = path.parent / ".gitignore"
        if path.parent.name == _OWN_FOLDER and not ignore.exists():
            ignore.write_text(f"{path.name}*\n", encoding="utf-8")
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except PermissionError:
        if not path.exists():
            raise StoreError(f"The database {str(path)!r} cannot be made there: no permission.") from None
    except OSError as error:
        raise StoreError(f"The database {str(path)!r} cannot be made there: {file_fault(error)}.") from None


def _migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring the tables up to date; two programs that start at once do so one after the other."""
    if _version(connection) == len(MIGRATIONS):
        return
    if _version(connection) > len(MIGRATIONS):
        raise StoreError(
            f"The database {path!r} was written by a newer tooldeck; update tooldeck, or {_REMEDY}."
        )
    connection.execute("BEGIN IMMEDIATE")
    try:
        for migration in MIGRATIONS[_version(connection) :]:
            migration(connection.execute)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def _sentence(path: str, error: sqlite3.Error) -> str:
    said = str(error)
    if "locked" in said or "busy" in said:
        return f"The database {path!r} is locked by another program; close that one, or {_REMEDY}."
    if "readonly" in said:
        return f"The database {path!r} may only be read; allow writing to it, or {_REMEDY}."
    return f"The database {path!r} cannot be used ({said}); {_REMEDY}."

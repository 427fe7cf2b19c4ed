"""What is stored: a list of functions, each of which adds to what those before it made.

The list only grows at its end. A database says in ``user_version`` how many of them it has seen; all that
are missing run in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tooldeck.store.searching import make_index

__all__ = ["MIGRATIONS"]

Run = Callable[[str], Any]


def _calls(run: Run) -> None:
    """Every call, from its start on. Texts are JSON where they are lists or objects."""
    run(
        """
        CREATE TABLE calls (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session TEXT NOT NULL,
            call TEXT NOT NULL,
            parent TEXT,
            started REAL NOT NULL,
            name TEXT NOT NULL,
            origin TEXT,
            source TEXT NOT NULL,
            label TEXT NOT NULL,
            run TEXT,
            arguments TEXT,
            masked TEXT NOT NULL DEFAULT '[]',
            whole INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            approvals TEXT NOT NULL DEFAULT '[]',
            decisions TEXT NOT NULL DEFAULT '{}',
            notes TEXT NOT NULL DEFAULT '[]',
            status TEXT,
            seconds REAL,
            error TEXT,
            result TEXT
        )
        """
    )
    run("CREATE INDEX calls_by_name ON calls (name)")


def _grants(run: Run) -> None:
    """Approvals that hold until they are revoked."""
    run(
        """
        CREATE TABLE grants (
            tool TEXT NOT NULL,
            origin TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            made REAL NOT NULL,
            PRIMARY KEY (tool, origin, fingerprint)
        )
        """
    )


def _breakers(run: Run) -> None:
    """Breakers that several programs share; the state is JSON, the version grows with every change."""
    run("CREATE TABLE breakers (key TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL)")


def _memories(run: Run) -> None:
    """Notes by namespace and key. Value and tags are JSON; words and pairs are what can be searched."""
    run(
        """
        CREATE TABLE memories (
            id INTEGER PRIMARY KEY,
            namespace TEXT NOT NULL,
            key TEXT NOT NULL,
            value TEXT NOT NULL,
            tags TEXT NOT NULL,
            created REAL NOT NULL,
            updated REAL NOT NULL,
            expires REAL,
            version INTEGER NOT NULL,
            words TEXT NOT NULL,
            pairs TEXT NOT NULL,
            UNIQUE (namespace, key)
        )
        """
    )
    make_index(run, "memories")


def _pins(run: Run) -> None:
    """Definitions of remote tools, and commands, that people accepted; several of one name may be."""
    run(
        """
        CREATE TABLE pins (
            server TEXT NOT NULL,
            name TEXT NOT NULL,
            digest TEXT NOT NULL,
            definition TEXT NOT NULL,
            made REAL NOT NULL,
            PRIMARY KEY (server, name, digest)
        )
        """
    )


def _messages(run: Run) -> None:
    """What was said in conversations. ``at`` is in seconds since 1970, ``place`` the name of a notebook."""
    run(
        """
        CREATE TABLE messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation TEXT NOT NULL,
            at REAL NOT NULL,
            role TEXT NOT NULL,
            tool TEXT NOT NULL,
            place TEXT NOT NULL,
            text TEXT NOT NULL,
            words TEXT NOT NULL,
            pairs TEXT NOT NULL
        )
        """
    )
    run("CREATE INDEX messages_by_conversation ON messages (conversation, id)")
    make_index(run, "messages")


def _writes(run: Run) -> None:
    """Changes of files by tools. A source says where outside text in the file comes from."""
    run(
        """
        CREATE TABLE writes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            folder TEXT NOT NULL,
            path TEXT NOT NULL,
            digest TEXT,
            made INTEGER NOT NULL,
            at REAL NOT NULL,
            call TEXT NOT NULL,
            tool TEXT NOT NULL,
            source TEXT NOT NULL
        )
        """
    )
    run("CREATE INDEX writes_by_folder ON writes (folder, id)")


def _checkpoints(run: Run) -> None:
    """Moments of a workspace and a run. Messages and what is left out are JSON, contents packed (zlib)."""
    run(
        """
        CREATE TABLE checkpoints (
            id TEXT PRIMARY KEY,
            folder TEXT NOT NULL,
            label TEXT NOT NULL,
            at REAL NOT NULL,
            conversation TEXT NOT NULL,
            messages TEXT NOT NULL,
            count INTEGER NOT NULL,
            cell INTEGER,
            last_write INTEGER NOT NULL,
            files INTEGER NOT NULL,
            left_out TEXT NOT NULL,
            kind TEXT NOT NULL
        )
        """
    )
    run(
        """
        CREATE TABLE checkpoint_files (
            checkpoint TEXT NOT NULL,
            path TEXT NOT NULL,
            digest TEXT NOT NULL,
            mode INTEGER NOT NULL,
            PRIMARY KEY (checkpoint, path)
        )
        """
    )
    run("CREATE TABLE contents (digest TEXT PRIMARY KEY, data BLOB NOT NULL)")


def _handoffs(run: Run) -> None:
    """Work that agents hand on. Context, tools and artifacts are JSON, times seconds since 1970."""
    run(
        """
        CREATE TABLE handoffs (
            id TEXT PRIMARY KEY,
            root TEXT NOT NULL,
            parent TEXT NOT NULL,
            sender TEXT NOT NULL,
            receiver TEXT NOT NULL,
            goal TEXT NOT NULL,
            context TEXT NOT NULL,
            tokens INTEGER NOT NULL,
            tools TEXT,
            depth INTEGER NOT NULL,
            state TEXT NOT NULL,
            result TEXT NOT NULL DEFAULT '',
            artifacts TEXT NOT NULL DEFAULT '[]',
            made REAL NOT NULL,
            changed REAL NOT NULL,
            expires REAL NOT NULL
        )
        """
    )


def _runs(run: Run) -> None:
    """Runs of models as they stand; the state is JSON."""
    run(
        "CREATE TABLE runs (id TEXT PRIMARY KEY, name TEXT NOT NULL, at REAL NOT NULL, status TEXT NOT NULL,"
        " state TEXT NOT NULL)"
    )


def _tasks(run: Run) -> None:
    """Things to do and calls that are due. Arguments are JSON, times seconds since 1970."""
    run(
        """
        CREATE TABLE tasks (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            done INTEGER NOT NULL,
            due REAL,
            every REAL,
            tool TEXT NOT NULL,
            arguments TEXT NOT NULL,
            made REAL NOT NULL,
            changed REAL NOT NULL
        )
        """
    )


MIGRATIONS: tuple[Callable[[Run], None], ...] = (
    _calls,
    _grants,
    _breakers,
    _memories,
    _pins,
    _messages,
    _writes,
    _checkpoints,
    _handoffs,
    _runs,
    _tasks,
)

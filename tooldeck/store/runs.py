"""Runs of models as they stand, so that one can go on after its program has ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from tooldeck.core.errors import StoreError
from tooldeck.store.protocol import Store

__all__ = ["KeptRun", "RunTable"]

KEPT = 50
"""Runs that stay; the oldest beyond them go."""
LONGEST = 8_000_000
"""Characters of a run that is kept."""


class KeptRun(NamedTuple):
    """A run, as far as it came."""

    id: str
    name: str
    at: float
    """Seconds since 1970 at which it was written."""
    status: str
    """How it ended; ``running`` where it goes on, or its program was killed."""
    state: str
    """JSON: its messages, what it has used, its limits."""


class RunTable:
    """The runs of a store, by the name of their conversation. Every method raises `StoreError`."""

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._now = now

    def put(self, id: str, name: str, status: str, state: str) -> None:
        """Write how a run stands, in place of what was known of it."""
        if len(state) > LONGEST:
            raise StoreError(f"The run {id} is too long to be kept: {len(state)} characters.")
        self._store.run(
            "INSERT OR REPLACE INTO runs (id, name, at, status, state) VALUES (?, ?, ?, ?, ?)",
            (id, name, self._now(), status, state),
        )

    def forget_oldest(self) -> None:
        """Keep the last `KEPT` runs only."""
        self._store.run(
            "DELETE FROM runs WHERE id NOT IN (SELECT id FROM runs ORDER BY at DESC LIMIT ?)", (KEPT,)
        )

    def recent(self, n: int = KEPT) -> list[KeptRun]:
        """The last runs, newest first."""
        rows = self._store.run(
            "SELECT id, name, at, status, state FROM runs ORDER BY at DESC, rowid DESC LIMIT ?", (n,)
        ).rows
        return [KeptRun(*row) for row in rows]

    def get(self, id: str) -> KeptRun | None:
        """The run of this name."""
        rows = self._store.run("SELECT id, name, at, status, state FROM runs WHERE id = ?", (id,)).rows
        return KeptRun(*rows[0]) if rows else None

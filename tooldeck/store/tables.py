"""Two small tables for other parts of the deck: grants that last, and breakers that programs share."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from tooldeck.store.protocol import Store

__all__ = ["BreakerTable", "GrantTable"]


class GrantTable:
    """Approvals that hold until they are revoked. Every method raises `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load(self) -> list[tuple[str, dict[str, Any]]]:
        """All grants as key and record, oldest first."""
        rows = self._store.run("SELECT key, record FROM grants ORDER BY made, key").rows
        return [(key, json.loads(record)) for key, record in rows]

    def save(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record, which JSON must be able to carry, in place of an earlier one of that key."""
        self._store.run(
            "INSERT INTO grants VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET record = excluded.record",
            (key, json.dumps(dict(record)), time.time()),
        )

    def remove(self, key: str) -> bool:
        """Take a record out; says whether there was one."""
        return self._store.run("DELETE FROM grants WHERE key = ?", (key,)).changed > 0


class BreakerTable:
    """States by key, changed by compare-and-swap. Every method raises `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load(self, key: str) -> tuple[int, dict[str, Any] | None]:
        """The version and the state; 0 and None where there is none yet."""
        rows = self._store.run("SELECT version, state FROM breakers WHERE key = ?", (key,)).rows
        return (rows[0][0], json.loads(rows[0][1])) if rows else (0, None)

    def swap(self, key: str, version: int, state: Mapping[str, Any]) -> bool:
        """Put `state` in place of the one of `version` (0: of none); False when another program was first."""
        text = json.dumps(dict(state))
        if version == 0:
            made = self._store.run(
                "INSERT INTO breakers VALUES (?, 1, ?) ON CONFLICT (key) DO NOTHING", (key, text)
            )
            return made.changed > 0
        changed = self._store.run(
            "UPDATE breakers SET version = version + 1, state = ? WHERE key = ? AND version = ?",
            (text, key, version),
        )
        return changed.changed > 0

"""Small tables for other parts of the deck: lasting grants, shared breakers, accepted definitions."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from tooldeck.core.approval import KeptGrant
from tooldeck.store.protocol import Store

__all__ = ["BreakerTable", "GrantTable", "KeptPin", "PinTable"]


class GrantTable:
    """The `GrantStore` of a database. Every method raises `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load(self) -> list[KeptGrant]:
        """All that is kept now, oldest first."""
        rows = self._store.run("SELECT tool, origin, fingerprint FROM grants ORDER BY made").rows
        return [KeptGrant(*row) for row in rows]

    def save(self, grant: KeptGrant, /) -> None:
        """Keep one more; one that is kept already stays kept once."""
        self._store.run(
            "INSERT INTO grants VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", (*_key(grant), time.time())
        )

    def drop(self, grant: KeptGrant, /) -> None:
        """Keep it no longer; nothing happens when it was not kept."""
        self._store.run("DELETE FROM grants WHERE tool = ? AND origin = ? AND fingerprint = ?", _key(grant))


def _key(grant: KeptGrant) -> tuple[str, str, str]:
    return grant.tool, grant.origin, grant.fingerprint


class BreakerTable:
    """States by key, changed by compare-and-swap. Every method raises `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load(self, key: str) -> tuple[int, dict[str, Any] | None]:
        """The version and the state; 0 and None where there is none yet."""
        rows = self._store.run("SELECT version, state FROM breakers WHERE key = ?", (key,)).rows
        if not rows:
            return 0, None
        try:
            state = json.loads(rows[0][1])
        except (TypeError, ValueError, RecursionError):  # somebody else's: the next change replaces it
            state = {}
        return rows[0][0], state if isinstance(state, dict) else {}

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


class KeptPin(NamedTuple):
    """A definition that somebody accepted."""

    server: str
    """Whose it is: the label of an MCP server and its target."""
    name: str
    """What it defines: a tool by the server's own name."""
    digest: str
    """The hash of the whole definition."""
    definition: str
    """The definition as JSON, for the difference to another one."""


class PinTable:
    """Accepted definitions of servers. Every method raises `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load(self, server: str) -> list[KeptPin]:
        """All of a server, oldest first."""
        rows = self._store.run(
            "SELECT server, name, digest, definition FROM pins WHERE server = ? ORDER BY made, rowid",
            (server,),
        ).rows
        return [KeptPin(*row) for row in rows]

    def save(self, pin: KeptPin, /) -> None:
        """Keep one more; one that is kept already becomes the newest."""
        self._store.run(
            "INSERT INTO pins VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET made = excluded.made",
            (*pin, time.time()),
        )

    def drop(self, server: str) -> None:
        """Keep none of a server any longer."""
        self._store.run("DELETE FROM pins WHERE server = ?", (server,))

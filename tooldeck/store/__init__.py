"""What outlives a deck: one SQLite file with the audit log, the lasting grants and shared breakers.

Nothing here loads sqlite3 before the first statement is run.
"""

from __future__ import annotations

from tooldeck.store.protocol import Ran, Store
from tooldeck.store.sqlite import SqliteStore, open_store

__all__ = ["Ran", "SqliteStore", "Store", "open_store"]

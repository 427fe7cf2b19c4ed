"""What the tables of a deck ask of a database: to run one SQL statement, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

__all__ = ["Ran", "Store"]


class Ran(NamedTuple):
    """What came of a statement."""

    rows: list[tuple[Any, ...]]
    """The rows that it gave; empty for one that changes."""
    changed: int
    """How many rows it changed; the answer of a compare-and-swap."""
    row_id: int
    """The id of the row that it put in; 0 when it put none in."""


@runtime_checkable
class Store(Protocol):
    """A place for what shall outlive a deck. Any thread may use it.

    It has the tables of `tooldeck.store.migrations` and speaks SQLite's SQL.
    """

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        ...

    def run(self, sql: str, values: Sequence[Any] = (), /) -> Ran:
        """Run one statement, which is done wholly or not at all; raises `StoreError` in one sentence."""
        ...

    def close(self) -> None:
        """Let go of the database; the next `run` opens it again."""
        ...

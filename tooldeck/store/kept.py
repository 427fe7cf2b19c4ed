"""The part of a deck that outlives it: its store, the log of its calls, and running a logged call again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tooldeck.core.call import ToolCall
from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.core.events import Event
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.store.audit import AuditLog
from tooldeck.store.conversations import ConversationLog
from tooldeck.store.log import LoggedCall, read_log
from tooldeck.store.protocol import Store
from tooldeck.store.runs import KeptRun, RunTable
from tooldeck.store.tables import BreakerTable, GrantTable, PinTable

__all__ = ["Journal", "Kept"]


class Journal:
    """A store, if there is one, and the audit log in it."""

    def __init__(self, store: Store | None, find: Callable[[ToolCall], Tool | None]) -> None:
        self.store = store
        self.grants = GrantTable(store) if store is not None and _lasts(store) else None
        """Where approvals for always are kept; nowhere where they would not outlive the session."""
        self.breakers = BreakerTable(store) if store is not None else None
        """Where breakers lie that programs share."""
        self.pins = PinTable(store) if store is not None else None
        """Where accepted definitions of remote tools are kept."""
        self._audit = AuditLog(store, find) if store is not None else None
        self._words = ConversationLog(store) if store is not None else None

    @property
    def observe(self) -> Callable[[Event], None] | None:
        """The observer that writes down calls and conversations; None without a store."""
        return None if self.store is None else self._observe

    def _observe(self, event: Event) -> None:
        if self._audit is not None and self._words is not None:
            self._audit.observe(event)
            self._words.observe(event)

    def entries(self, **chosen: Any) -> list[LoggedCall]:
        """See `read_log`; raises `SetupError` without a store."""
        if self.store is None or self._audit is None:
            raise SetupError(
                'This deck keeps no log; make it with a store, as in Deck(store=".tooldeck/deck.db").'
            )
        return read_log(self.store, self._audit, **chosen)

    def entry(self, id: int) -> LoggedCall:
        """One entry; raises `DefinitionError` where there is none."""
        if isinstance(id, bool) or not isinstance(id, int):
            raise DefinitionError(f"A logged call is named by its number in deck.log(), got {id!r}.")
        found = self.entries(n=1, id=id)
        if not found:
            raise DefinitionError(f"There is no call {id} in the log; deck.log() lists them with their ids.")
        return found[0]

    def close(self) -> None:
        """Let go of the database; what is only in memory stays."""
        if self.store is not None and _lasts(self.store):
            self.store.close()


def _lasts(store: Store) -> bool:
    return store.place != ":memory:"


class _Deck(Protocol):
    """What a deck has besides."""

    _journal: Journal

    def call(self, name: str, arguments: Any = None, /) -> ToolResult: ...

    async def acall(self, name: str, arguments: Any = None, /) -> ToolResult: ...


class Kept:
    """The methods of a deck around its store; `_journal` is set by the deck."""

    _journal: Journal

    @property
    def store(self) -> Store | None:
        """The database of this deck, or None."""
        return self._journal.store

    def log(
        self, n: int | None = 20, *, tool: str | None = None, status: str | None = None
    ) -> list[LoggedCall]:
        """The last `n` calls in the store, oldest first, also those of earlier programs; None gives all.

        `tool` is a name or a pattern with ``*`` and ``?``; `status` the word of an end, ``unfinished`` (no
        end is known: the program was killed, or it is another one that still runs) or ``running``. Raises
        `SetupError` on a deck without a store, `StoreError` and `DefinitionError`.
        """
        return self._journal.entries(n=n, tool=tool, status=status)

    def logged(self, id: int, /) -> LoggedCall:
        """One call of the log by its number; raises `DefinitionError` where there is none."""
        return self._journal.entry(id)

    def kept_runs(self) -> list[KeptRun]:
        """The runs of models that the store has, newest first; `resume` goes on with one by its ``id``."""
        return [] if self._journal.store is None else RunTable(self._journal.store).recent()

    def replay(self: _Deck, id: int, /, **arguments: Any) -> ToolResult:
        """Run a logged call again through the whole pipeline, with today's tool, policy and approvals.

        `arguments` stand in for the secrets, which no log has, or change others. Raises `DefinitionError`
        where there is no such call or what was stored of it is not enough; also what `log` raises.
        """
        entry = self._journal.entry(id)
        return self.call(entry.name, entry.again(arguments))

    async def areplay(self: _Deck, id: int, /, **arguments: Any) -> ToolResult:
        """The same as `replay`, to be awaited."""
        entry = self._journal.entry(id)
        return await self.acall(entry.name, entry.again(arguments))

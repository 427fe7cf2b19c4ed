"""What a server offers beside tools, as Python sees it: entries by name, read by blocking or awaited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from tooldeck.core.python_names import python_names
from tooldeck.core.vocabulary import nearest
from tooldeck.mcp.offers import Offer, Offered
from tooldeck.mcp.waiting import refuse_to_block

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection
    from tooldeck.mcp.session import Session
    from tooldeck.mcp.tap import Malformed

__all__ = ["Collection"]

T = TypeVar("T")
B = TypeVar("B")
R = TypeVar("R")


class Collection(Generic[T, B]):
    """The entries of one list of a server, by name; also as attributes, where their names allow it.

    The list is read when it is first needed, and again after the server said that it has changed. Raises what
    `Session.perform` raises.
    """

    what = ""
    """What an entry is called in messages."""

    def __init__(self, made: Connection, offer: Offer[T]) -> None:
        self._made = made
        self._offered: Offered[T] = made.session.offered(offer)

    def _bound(self, entry: T) -> B:
        """An entry that knows its server; given by each kind of collection."""
        raise NotImplementedError

    @property
    def session(self) -> Session:
        """The session with the server."""
        return self._made.session

    # -- blocking and awaited, over the same coroutines on the session's loop ---

    def block(self, work: Callable[[], Awaitable[R]]) -> R:
        """What `work` gives, by blocking."""
        refuse_to_block(self._made)
        session = self._made.session
        return self._made.ways.block(session.executor.submit(work))

    async def wait(self, work: Callable[[], Awaitable[R]]) -> R:
        """What `work` gives, awaited."""
        return await self._made.ways.wait(self._made.session.executor.submit(work))

    def fetch(self) -> list[B]:
        """Read the list again, whether or not it has changed; gives the entries."""
        return [self._bound(one) for one in self.block(self._offered.read_again).values()]

    async def afetch(self) -> list[B]:
        """The same as `fetch`, to be awaited."""
        return [self._bound(one) for one in (await self.wait(self._offered.read_again)).values()]

    @property
    def malformed(self) -> tuple[Malformed, ...]:
        """Entries of the list that cannot be used, each with its reason; of the list as it was read last."""
        return self._offered.malformed

    @property
    def known(self) -> dict[str, T]:
        """The entries that were read, without asking the server; empty before that."""
        return dict(self._offered.known or {})

    # -- as a mapping ---

    def _all(self) -> dict[str, T]:
        known = self._offered.known
        return self.block(self._offered.read) if known is None else known

    def values(self) -> list[B]:
        """The entries."""
        return [self._bound(one) for one in self._all().values()]

    def __getitem__(self, name: str) -> B:
        return self._bound(self.found(self._all(), name))

    async def aitem(self, name: str) -> B:
        """An entry by its name, awaited where the list has to be read first. Raises KeyError."""
        return self._bound(self.found(await self.wait(self._offered.read), name))

    def found(self, entries: dict[str, T], name: str) -> T:
        """The entry of a name; raises KeyError with the nearest names."""
        if name in entries:
            return entries[name]
        close = nearest(name, entries)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"it has {len(entries)}."
        raise KeyError(f"The MCP server {self._made.label!r} has no {self.what} {name!r}; {hint}")

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._all()))

    def __len__(self) -> int:
        return len(self._all())

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def __getattr__(self, name: str) -> B:
        if name.startswith("_"):
            raise AttributeError(name)
        for own, python in python_names(self._all()).items():
            if python == name:
                return self[own]
        raise AttributeError(f"The MCP server {self._made.label!r} has no {self.what} {name!r}.")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *python_names(self._completed()).values()]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._completed())

    def _completed(self) -> dict[str, T]:
        """The entries for completion, which must neither fail nor wait for long where nothing was read."""
        try:
            return self._all()
        except Exception:  # noqa: BLE001 - whoever presses tab is not told of faults of a server
            return {}

    def __repr__(self) -> str:
        known = self._offered.known
        many = "not read yet, list(…) reads them" if known is None else f"{len(known)}"
        return f"<{self.what}s of MCP {self._made.label!r}: {many}>"

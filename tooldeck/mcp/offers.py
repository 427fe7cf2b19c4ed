"""A server's lists beside that of its tools: read when first wanted, all pages, the bad entries apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from tooldeck.mcp import raw
from tooldeck.mcp.errors import McpAnswerError
from tooldeck.mcp.tap import Malformed

if TYPE_CHECKING:
    from tooldeck.mcp.session import Session

__all__ = ["Offer", "Offered", "text_in", "words_in"]

_MOST_PAGES = 200
_MOST = 2_000
"""Entries of one list that are read."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Offer(Generic[T]):
    """Which list it is, and how an entry of it is read."""

    method: str
    """The request that gives it, such as ``prompts/list``."""
    member: str
    """Where the entries are in the answer."""
    capability: str
    """What a server without such a list does not declare."""
    read: Callable[[Mapping[str, Any]], T]
    """Makes an entry; raises ValueError, saying what is wrong with it."""
    key: Callable[[T], str]
    """What an entry is known by."""


class Offered(Generic[T]):
    """One list of one session, kept until the server says that it has changed."""

    def __init__(self, session: Session, offer: Offer[T]) -> None:
        self._session = session
        self._offer = offer
        self.known: dict[str, T] | None = None
        """The entries by what they are known by; None while nobody has read them."""
        self.malformed: tuple[Malformed, ...] = ()
        """Entries that cannot be used, each with its reason."""

    def forget(self) -> None:
        """The server has another list now."""
        self.known = None

    async def read(self) -> dict[str, T]:
        """The entries as they are kept, else as the server lists them now. On the session's own loop."""
        return self.known if self.known is not None else await self.read_again()

    async def read_again(self) -> dict[str, T]:
        """Ask the server for the whole list."""
        good: dict[str, T] = {}
        bad: list[Malformed] = []
        for entry in await self._session.perform(f"the request {self._offer.method!r}", self._pages):
            self._take(entry, good, bad)
        self.known, self.malformed = good, tuple(bad)
        return good

    def _take(self, entry: Any, good: dict[str, T], bad: list[Malformed]) -> None:
        name = str(entry.get("name") or "") if isinstance(entry, Mapping) else ""
        try:
            if not isinstance(entry, Mapping):
                raise ValueError("it is no object")  # noqa: TRY301, TRY004 - one kind of fault, told at one place
            made = self._offer.read(cast("Mapping[str, Any]", entry))
        except ValueError as fault:
            bad.append(Malformed(name or f"entry {len(good) + len(bad) + 1} of the list", str(fault)))
            return
        key = self._offer.key(made)
        if key in good:
            bad.append(Malformed(key, "the list has it already"))
        else:
            good[key] = made

    async def _pages(self, client: Any, _running: Any) -> list[Any]:
        if getattr(client.server_capabilities, self._offer.capability) is None:
            return []
        found: list[Any] = []
        seen: set[str] = set()
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            # Below the library's own lists, which are lost whole where one entry is bad.
            page = await raw.request(
                client,
                self._offer.method,
                None if cursor is None else {"cursor": cursor},
                self._session.timeout,
            )
            entries = page.get(self._offer.member)
            if not isinstance(entries, list):
                raise McpAnswerError(
                    f"The MCP server {self._session.label!r} answered {self._offer.method} without a list of "
                    f"{self._offer.member}.",
                    self._session.label,
                )
            found += cast("list[Any]", entries)
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor or cursor in seen or len(found) >= _MOST:
                break
            seen.add(cursor)
        return found[:_MOST]


def words_in(entry: Mapping[str, Any], name: str) -> str:
    """A text that an entry may have; empty where it has none."""
    value = entry.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return value or ""


def text_in(entry: Mapping[str, Any], name: str) -> str:
    """A text that an entry must have."""
    found = words_in(entry, name)
    if not found:
        raise ValueError(f"{name} is missing")
    return found

"""Hearing that a resource has changed: by subscription in the older protocol, listening in the newer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from tooldeck.core.errors import DefinitionError
from tooldeck.guards.text import visible
from tooldeck.mcp import raw

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection

__all__ = ["Subscription", "move", "subscribe"]


class Subscription:
    """Counts the changes of what is under an address until it is closed; also usable with ``with``."""

    def __init__(self, made: Connection, uri: str, told: Callable[[str], object] | None) -> None:
        self.made = made
        """Whose resource it is; another connection once the server was connected again."""
        self.uri = uri
        self.told = told
        self.changes = 0
        """How often it changed so far."""
        self.last = ""
        """The address that changed last: this one, or one below it."""
        self._changed = threading.Condition()
        self.listening: asyncio.Task[None] | None = None
        """What listens, in the newer protocol."""

    @property
    def is_open(self) -> bool:
        """Whether changes are heard; so it stays when the server is connected again."""
        return self in self.made.session.subscriptions

    def changed(self, uri: str) -> None:
        """The server says that it changed. On the session's loop."""
        with self._changed:
            self.changes += 1
            self.last = uri
            self._changed.notify_all()

    def covers(self, uri: str) -> bool:
        """Whether a change of `uri` is one of what it is about: of the same address, or of one below it."""
        return uri == self.uri or uri.startswith(f"{self.uri.rstrip('/')}/")

    def wait(self, seconds: float, since: int = 0) -> bool:
        """Block until there were more than `since` changes, so many seconds at most; says whether there were.

        Widgets do not hear clicks meanwhile.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self.changes > since, seconds)

    def close(self) -> None:
        """Hear of no more changes. Closing twice, or after the session, is harmless."""
        if self.is_open:
            self.made.ways.block(self.made.session.executor.submit(_leave, self))

    async def aclose(self) -> None:
        """The same as `close`, to be awaited."""
        if self.is_open:
            await self.made.ways.wait(self.made.session.executor.submit(_leave, self))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "open" if self.is_open else "closed"
        return visible(f"<Subscription to {self.uri}: {state}, {self.changes} changes>")


async def subscribe(made: Connection, uri: str, told: Callable[[str], object] | None) -> Subscription:
    """Begin to hear of the changes of what is under `uri`. On the session's own loop."""
    if told is not None and not callable(told):
        raise DefinitionError(f"told must be a function of the address that changed, got {told!r}.")
    this = Subscription(made, uri, told)
    await _begin(this)
    return this


async def move(this: Subscription, made: Connection) -> None:
    """Go on at the session that took the place of its own. On the session's own loop.

    Raises what the server says against it; it is closed then.
    """
    before = this.made.session.subscriptions
    if this in before:  # nobody has closed it meanwhile
        before.remove(this)
        this.made, this.listening = made, None
        await _begin(this)


async def _begin(this: Subscription) -> None:
    session, uri = this.made.session, this.uri
    first = not any(one.uri == uri for one in session.subscriptions)

    async def begin(client: Any, _running: Any) -> None:
        if not session.is_legacy:
            this.listening = await session.news.follow(client, uri)
        elif first:
            await raw.request(client, "resources/subscribe", {"uri": uri}, session.timeout)

    session.subscriptions.append(this)
    try:
        await session.perform(f"the subscription to {uri!r}", begin)
    except BaseException:
        if this in session.subscriptions:
            session.subscriptions.remove(this)
        raise
    if this not in session.subscriptions:  # closed before it stood
        await _end(this)


async def _leave(this: Subscription) -> None:
    session = this.made.session
    if this in session.subscriptions:
        session.subscriptions.remove(this)
        await _end(this)


async def _end(this: Subscription) -> None:
    session = this.made.session
    if this.listening is not None:
        this.listening.cancel()
    elif (
        session.is_legacy
        and session.state == "ready"
        and not any(one.uri == this.uri for one in session.subscriptions)
    ):
        await session.arequest("resources/unsubscribe", {"uri": this.uri})

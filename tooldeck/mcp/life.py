"""The life of a session: one task that makes the connection, keeps it, and takes it down.

It has to be one task, because scopes of the client library must be left by the task that entered them.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from enum import StrEnum

from tooldeck.mcp import faults, sdk
from tooldeck.mcp.link import Link
from tooldeck.registry.json_schema import warm_up

__all__ = ["Life", "State"]

_CLOSE_LIMIT = 8.0
# Seconds a session is given to close; its process needs 4.5 at most.
_EXPLAIN_LIMIT = 2.0
# Seconds a failed call waits to learn why its server went.


class State(StrEnum):
    """What a session is good for at the moment."""

    NEW = "new"
    CONNECTING = "connecting"
    READY = "ready"
    RESTARTING = "restarting"
    """Only of a connection: another session takes the place of this one."""
    DEAD = "dead"
    CLOSED = "closed"


class Life:
    """Begins and ends a session.

    `enter` makes everything that the session consists of, on the stack it is given. Everything here runs on
    the session's loop, except reading `state` and `reason`.
    """

    def __init__(self, link: Link, enter: Callable[[AsyncExitStack], Awaitable[None]]) -> None:
        self.state = State.NEW
        self.reason = ""
        """Why the session is over; empty while it is not."""
        self.again = False
        """Whether it is over because the server is started again."""
        self.over_since: float | None = None
        """When the server went, on the monotonic clock."""
        self.on_end: Callable[[], None] | None = None
        """Called once, when the session is over; `state` and `reason` say how."""
        self._link = link
        self._enter = enter
        self._owner: asyncio.Task[None] | None = None
        self._opened = asyncio.Event()
        self._explained = asyncio.Event()
        self._stop = asyncio.Event()
        self._failure: BaseException | None = None

    async def open(self) -> None:
        """Make the connection; raises what kept it from standing."""
        self._owner = asyncio.create_task(self._own(), name=f"mcp-{self._link.label}")
        try:
            await self._opened.wait()
        except asyncio.CancelledError:
            await self._give_up()
            raise
        if self._failure is not None:
            raise self._failure

    async def close(self) -> None:
        """End the session, whatever its state."""
        owner = self._owner
        self._stop.set()
        if owner is None or owner.done():
            self.state = State.CLOSED
            return
        self.reason = "it was closed"
        if not self._opened.is_set():
            owner.cancel()
        done, _ = await asyncio.wait([owner], timeout=_CLOSE_LIMIT)
        if not done:
            owner.cancel()
            await asyncio.wait([owner], timeout=1.0)
        self.state = State.CLOSED

    def not_again(self, state: State, why: str) -> None:
        """The session that was to take the place of this one did not come about."""
        self.state, self.reason, self.again = state, why, False
        self.over_since = time.monotonic()

    @property
    def ending(self) -> bool:
        """Whether the server has gone or somebody has closed the session."""
        return self._link.broken or self._stop.is_set()

    async def explained(self) -> None:
        """Wait until it is known why the server went, for a moment at most; not when we closed it."""
        if not self._stop.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._explained.wait(), _EXPLAIN_LIMIT)

    async def _own(self) -> None:
        """The owner: everything is entered and left here."""
        try:
            await asyncio.to_thread(sdk.prepare)
            # Takes seconds the first time; done while the server starts, not in the middle of a call.
            warming = asyncio.create_task(asyncio.to_thread(warm_up))
            # A session that fails before it needs this leaves it alone, and with it whatever it raises.
            warming.add_done_callback(lambda task: task.cancelled() or task.exception())
            async with AsyncExitStack() as stack:
                await self._enter(stack)
                await warming
                self.state = State.READY
                self._opened.set()
                await self._until_over()
                if not self._stop.is_set():
                    await self._learn_end()
        except asyncio.CancelledError:
            self.reason = self.reason or "it was cancelled"
        except BaseException as error:  # noqa: BLE001 - kept for whoever waits for the session to open
            stood = self.state is State.READY
            self._failure = await self._link.connect_error(error)
            self.reason = self.reason or (faults.of_break(error) if stood else str(self._failure))
        finally:
            self._link.client = None
            self.state = State.CLOSED if self._stop.is_set() else State.DEAD
            self._opened.set()
            self._explained.set()
            self._tell_end()

    async def _until_over(self) -> None:
        """Wait for somebody to close the session, or for the server to go."""
        waits = {asyncio.create_task(event.wait()) for event in (self._stop, self._link.tap.ended)}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()

    async def _learn_end(self) -> None:
        """Find out why the server went, and only then call the session dead."""
        self.reason = await self._link.why_ended()
        self.state = State.DEAD
        self._explained.set()
        self._tell_end()

    def _tell_end(self) -> None:
        if self.over_since is None:
            self.over_since = time.monotonic()
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            with contextlib.suppress(Exception):  # a listener must not keep the session from ending
                on_end()

    async def _give_up(self) -> None:
        """Somebody stopped waiting for the session to open."""
        self._stop.set()
        if self._owner is not None:
            self._owner.cancel()
            await asyncio.wait([self._owner], timeout=_CLOSE_LIMIT)

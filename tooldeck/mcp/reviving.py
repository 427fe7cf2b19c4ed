"""Sessions for calls that find theirs over: of a server that starts again, or went and may be back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from tooldeck.mcp import faults
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.listing import RemoteTool
from tooldeck.mcp.session import Session, State

__all__ = ["Reviving"]


class Reviving:
    """Gives calls a session in place of a dead one. Works on the loop of the sessions.

    `current` gives the connection that has a label now, `renew` makes a dead one again, `tell` hears what to
    tell the person of it.
    """

    def __init__(
        self,
        current: Callable[[str], Connection | None],
        renew: Callable[[Connection], Awaitable[Connection]],
        tell: Callable[[str], None],
    ) -> None:
        self._current = current
        self._renew = renew
        self._tell = tell
        self._under_way: dict[str, asyncio.Task[Connection]] = {}

    async def session(self, dead: Connection, remote: RemoteTool) -> Session | None:
        """A session for a call of a tool whose own is over: of the server as it starts again, else revived.

        While somebody starts it again the call waits, as long as it may take itself. A server that went is
        connected here, but not at once, since whoever calls is to learn that it went and what it held with
        it. None where it is too early, or where the tool is not what it was. Raises `McpRestarting` where a
        restart took too long, or took the tool away.
        """
        if dead.coming is not None:
            dead = await self._arrived(dead, remote)
            if dead.state is State.READY:
                return dead.session
        if dead.identity is None or dead.session.over_for() < dead.declared.breaker.cooldown:
            return None
        made = self._current(dead.label)
        if made is dead:
            made = await asyncio.shield(self._once(dead))
        if made is None or made.identity != dead.identity or not _has_still(made, remote):
            return None
        return made.session

    async def _arrived(self, dead: Connection, remote: RemoteTool) -> Connection:
        """What took the place of a connection, which is waited for; itself where nothing did."""
        limit = dead.session.timeout
        try:
            async with asyncio.timeout(limit):
                while (made := dead.latest).restarting:
                    await made.arrival()
        except TimeoutError:
            raise faults.of_late_restart(limit, remote.name, dead.label) from None
        if made is not dead and not _has_still(made, remote):
            raise faults.of_loss(remote.name, dead.label)
        return made

    def _once(self, dead: Connection) -> asyncio.Task[Connection]:
        """However many calls come at the same time, the server is connected once."""
        task = self._under_way.get(dead.label)
        if task is None:
            task = self._under_way[dead.label] = asyncio.create_task(self._revived(dead))
            task.add_done_callback(lambda _: self._under_way.pop(dead.label, None))
        return task

    async def _revived(self, dead: Connection) -> Connection:
        why = (dead.reason.splitlines() or ["it was gone"])[0]
        made = await self._renew(dead)
        made.notes.append(f"Connected again, since {why} What it held in memory is lost.")
        self._tell(made.notes[-1])
        return made


def _has_still(made: Connection, remote: RemoteTool) -> bool:
    return remote.name in made.tools and remote.name not in made.held

"""Connecting a server that went again, when its breaker lets a call through to see whether it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from tooldeck.mcp.connection import Connection
from tooldeck.mcp.listing import RemoteTool
from tooldeck.mcp.session import Session

__all__ = ["Reviving"]


class Reviving:
    """Gives calls a session in place of a dead one. Works on the loop of the sessions.

    `current` gives the connection that has a label now, `renew` makes a dead one again, `tell` hears of it,
    and what to tell the person.
    """

    def __init__(
        self,
        current: Callable[[str], Connection | None],
        renew: Callable[[Connection], Awaitable[Connection]],
        tell: Callable[[Connection, str], None],
    ) -> None:
        self._current = current
        self._renew = renew
        self._tell = tell
        self._under_way: dict[str, asyncio.Task[Connection]] = {}

    async def session(self, dead: Connection, remote: RemoteTool) -> Session | None:
        """Connect a server that went some time ago again, for a call of its tool.

        Not at once, since whoever calls is to learn that the server went and what it held with it. None where
        it is too early, or where the tool is not what it was.
        """
        if dead.identity is None or dead.session.over_for() < dead.declared.breaker.cooldown:
            return None
        made = self._current(dead.label)
        if made is dead:
            made = await asyncio.shield(self._once(dead))
        if made is None or remote.name not in made.tools or remote.name in made.held:
            return None
        return made.session

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
        self._tell(made, made.notes[-1])
        return made

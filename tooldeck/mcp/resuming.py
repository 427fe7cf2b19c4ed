"""What a person told a server, told again to the session that takes the place of another."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tooldeck.core.errors import TooldeckError
from tooldeck.guards.text import one_line
from tooldeck.mcp.subscriptions import Subscription, move
from tooldeck.mcp.telling import set_level

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection

__all__ = ["resume"]


async def resume(old: Connection, made: Connection) -> None:
    """Set the level of the log and subscribe as before; what fails is a note. On the session's own loop."""
    same: dict[str, list[Subscription]] = defaultdict(list)
    for one in old.session.subscriptions:
        same[one.uri].append(one)
    # Beside each other, so that a server that does not answer is waited for once.
    failed = await asyncio.gather(_level(old, made), *(_moved(group, made) for group in same.values()))
    told = dict.fromkeys(f"Not as before it was connected again: {why}" for some in failed for why in some)
    made.notes.extend(told)


async def _level(old: Connection, made: Connection) -> list[str]:
    if not old.session.news.level:
        return []
    try:
        await set_level(made.session, old.session.news.level)
    except TooldeckError as error:
        made.session.news.level = old.session.news.level  # for the next one
        return [one_line(str(error))]
    return []


async def _moved(group: Iterable[Subscription], made: Connection) -> list[str]:
    """One after the other, since the server is told of an address once."""
    failed: list[str] = []
    for one in group:
        try:
            await move(one, made)
        except TooldeckError as error:
            failed.append(one_line(str(error)))
    return failed

"""What a person tells a server about themselves: which folders it may know of, how much it shall say."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tooldeck.core.errors import DefinitionError
from tooldeck.mcp import raw
from tooldeck.mcp.settings import folders, one_of

if TYPE_CHECKING:
    from tooldeck.mcp.session import Session

__all__ = ["LEVELS", "set_level", "tell_roots"]

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""How grave a line of the log is, the least first."""


async def tell_roots(session: Session, roots: Iterable[str | os.PathLike[str]]) -> None:
    """Let the server know of these folders and no others. On the session's own loop.

    Raises `DefinitionError` for what is no folder.
    """
    from mcp import types

    session.wishes.roots = folders(roots)

    async def tell(client: Any, _running: Any) -> None:
        if session.is_legacy:  # in the newer protocol it asks whenever it wants to know
            await client.session.send_notification(types.RootsListChangedNotification())

    await session.perform("the change of folders", tell)


async def set_level(session: Session, level: str) -> None:
    """Have the server say only what is as grave as `level`, or graver. On the session's own loop.

    Raises `DefinitionError` for what is no level, and where the server keeps no log.
    """
    one_of("level", level, LEVELS)

    async def tell(client: Any, _running: Any) -> None:
        if not session.is_legacy:
            raw.set_level(client, level)
        elif client.server_capabilities.logging is None:
            raise DefinitionError(f"The MCP server {session.label!r} keeps no log.")
        else:
            await raw.request(client, "logging/setLevel", {"level": level}, session.timeout)

    await session.perform("the level of the log", tell)
    session.news.level = level

"""Waiting for a session by blocking: what an interrupt does to it, and where it must not be tried."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection

__all__ = ["refuse_to_block", "wait_for"]

_SETTLE = 8.0
# Seconds in which what was interrupted may end: as long as a session is given to close.


def wait_for(future: Future[Any], wait: Callable[[Future[Any]], Any] = Future.result) -> Any:
    """The result of a future, by blocking in `wait`; an interrupt cancels it and lets it end."""
    try:
        return wait(future)
    except BaseException:
        if not future.done():
            future.cancel()
        finished: threading.Event | None = getattr(future, "finished", None)
        if finished is not None:
            finished.wait(_SETTLE)
        raise


def refuse_to_block(*connections: Connection) -> None:
    """Raise, before anything is begun, where this thread must not wait for the loop of a session."""
    for connection in connections:
        refuse: Callable[[], None] | None = getattr(connection.session.executor, "refuse_to_block", None)
        if refuse is not None:
            refuse()

"""What `deck.serve` can be told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

__all__ = ["ServeSettings"]


class ServeSettings(TypedDict, total=False):
    """The options of `deck.serve`; all may be left out."""

    tools: str | Iterable[str] | None
    """Names or patterns, also ``tool.action``, outside of which nothing is shown; None does not choose."""
    allow: str | Iterable[str]
    """Names, also ``tool.action``, of what is shown whatever it may do; it approves no call."""
    effects: str | Iterable[str]
    """A tool is shown when it declares no other effects than these; default ``read``."""
    port: int
    """Default 0, a free one."""
    token: str | bool | None
    """What clients must send, 8 characters or more; None makes a random one, False asks for none."""
    name: str
    """How the server introduces itself; default ``tooldeck``."""
    host: str
    """The address to listen on, default 127.0.0.1."""
    force: bool
    """Whether `host` may be another address than this machine's own; default False."""

"""The call whose body runs in this context: known to tools and calls alike, so it has a place of its own."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tooldeck.core.call import ToolCall

__all__ = ["CURRENT"]

CURRENT: ContextVar[ToolCall | None] = ContextVar("tooldeck_call", default=None)

"""Functions of the user that look at every call: before it runs and after it ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tooldeck.core.call import ToolCall
from tooldeck.core.result import ToolResult

__all__ = ["AfterTool", "BeforeTool", "Block", "Hooks", "Rewrite"]


@dataclass(frozen=True, slots=True)
class Block:
    """Verdict of a `before_tool` hook: the call ends as ``blocked`` with this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Verdict of a hook: go on with other arguments (checked again), or with another value."""

    to: Any


BeforeTool = Callable[[ToolCall], "Block | Rewrite | Awaitable[Block | Rewrite | None] | None"]
"""Sees the call before its arguments are checked. None lets it pass; any other answer stops it."""
AfterTool = Callable[[ToolResult], "Block | Rewrite | Awaitable[Block | Rewrite | None] | None"]
"""Sees how a call ended. None lets the end stand, `Rewrite` puts another value in its place; any other answer
withholds the value."""


class Hooks:
    """The hooks of a deck, called in the order in which they were added."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.before: tuple[BeforeTool, ...] = ()
        self.after: tuple[AfterTool, ...] = ()
        self._changed = changed

    def before_tool(self, hook: BeforeTool) -> Callable[[], None]:
        """Add a hook that runs before every call; returns the function that removes it."""
        self.before = (*self.before, hook)
        self._changed()
        return lambda: self._remove("before", hook)

    def after_tool(self, hook: AfterTool) -> Callable[[], None]:
        """Add a hook that runs after every call; returns the function that removes it."""
        self.after = (*self.after, hook)
        self._changed()
        return lambda: self._remove("after", hook)

    def _remove(self, which: str, hook: Any) -> None:
        kept = tuple(known for known in getattr(self, which) if known is not hook)
        setattr(self, which, kept)
        self._changed()

"""Tools that are called without being in the deck: bare functions and tool objects given to a call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tooldeck.core.define import define
from tooldeck.core.tool import Tool

__all__ = ["LooseTools"]

KEPT = 256
"""Loose tools remembered; beyond that the oldest is forgotten, with its breaker."""


class LooseTools:
    """Remembers the tool made of a function, so that its next call finds the same breaker and grants."""

    def __init__(self, forgotten: Callable[[Tool], None]) -> None:
        self._tools: dict[tuple[int, ...], Tool] = {}
        self._forgotten = forgotten

    def of(self, thing: Any) -> Tool:
        """The tool that a function or a tool object stands for; raises `DefinitionError` where none can."""
        key = _key(thing)
        found = self._tools.get(key)
        if found is None:
            found = self._tools.setdefault(key, thing if isinstance(thing, Tool) else define(thing))
            while len(self._tools) > KEPT:
                oldest = self._tools.pop(next(iter(list(self._tools))), None)
                if oldest is not None:  # else another thread was faster
                    self._forgotten(oldest)
        return found


def _key(thing: Any) -> tuple[int, ...]:
    """What tells one thing from another while its tool, which holds on to it, is remembered.

    A method is made anew each time it is read, so its object and function stand for it.
    """
    return (id(thing.__self__), id(thing.__func__)) if inspect.ismethod(thing) else (id(thing),)

"""The breakers of one deck: one for each tool object, made when first needed."""

from __future__ import annotations

from collections.abc import Callable

from tooldeck.core.breaker import Breaker, BreakerState
from tooldeck.core.tool import Tool

__all__ = ["Circuits"]


class Circuits:
    """Breakers by tool object, so that a redefined tool starts afresh and a namesake changes nothing."""

    def __init__(self, now: Callable[[], float], moved: Callable[[Tool, BreakerState], None]) -> None:
        self._now = now
        self._moved = moved
        self._breakers: dict[Tool, Breaker] = {}

    def of(self, tool: Tool) -> Breaker:
        """The breaker of a tool; the same for every thread."""
        found = self._breakers.get(tool)
        if found is None:
            made = Breaker(tool.breaker, self._now, lambda state: self._moved(tool, state))
            found = self._breakers.setdefault(tool, made)
        return found

    def forget(self, tool: Tool) -> None:
        """Drop the breaker of a tool that is gone."""
        self._breakers.pop(tool, None)

"""The last ends of calls, bounded by their number and by what the long ones hold."""

from __future__ import annotations

import threading
from collections import deque

from tooldeck.core.result import ToolResult

__all__ = ["History"]

MOST_CHARS = 64_000_000
"""Characters of text that results too long for a model may hold together; the oldest of them go first."""


class History:
    """Results of calls, oldest first. Safe from any thread."""

    def __init__(self, count: int, most_chars: int = MOST_CHARS) -> None:
        self._results: deque[ToolResult] = deque(maxlen=count)
        self.keep = self._results.append
        """Add the end of a call."""
        self._most_chars = most_chars
        self._long: dict[str, int] = {}
        self._lock = threading.Lock()

    def weigh(self, handle: str, chars: int) -> None:
        """Say that the call of this id, which is about to end, has so much text; makes room for it."""
        with self._lock:
            present = {result.call.id for result in self._copy()}
            self._long = {known: size for known, size in self._long.items() if known in present}
            self._long[handle] = chars
            while sum(self._long.values()) > self._most_chars and len(self._long) > 1:
                self._drop(next(iter(self._long)))

    def all(self) -> list[ToolResult]:
        """The results of this moment."""
        return self._copy()

    def find(self, handle: str) -> ToolResult | None:
        """The result of the call with this id, or None when it is not kept any more."""
        return next((result for result in reversed(self._copy()) if result.call.id == handle), None)

    def _drop(self, handle: str) -> None:
        del self._long[handle]
        for result in self._copy():
            if result.call.id == handle:
                self._results.remove(result)

    def _copy(self) -> list[ToolResult]:
        while True:
            try:
                return list(self._results)
            except RuntimeError:  # a call ended on another thread meanwhile
                continue

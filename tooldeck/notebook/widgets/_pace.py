"""Holds a stream of updates to a pace that a page can follow; the last one always gets through."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

__all__ = ["Pace"]


def _later(seconds: float, action: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()


class Pace:
    """Runs the latest of many actions, at most once in `interval` seconds. Safe from any thread."""

    def __init__(
        self,
        interval: float = 0.05,
        *,
        clock: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], None] = _later,
    ) -> None:
        self._interval = interval
        self._clock = clock
        self._later = later
        self._next = 0.0
        self._pending: Callable[[], None] | None = None
        self._lock = threading.Lock()

    def run(self, action: Callable[[], None], *, urgent: bool = False) -> None:
        """Run `action` now when urgent or due, else when it is due, unless a later one replaces it."""
        with self._lock:
            now = self._clock()
            if urgent or (self._pending is None and now >= self._next):
                self._next = now + self._interval
                self._pending = None
            else:
                waiting = self._pending is not None
                self._pending = action
                if not waiting:
                    self._later(max(0.0, self._next - now), self._due)
                return
        action()

    def _due(self) -> None:
        with self._lock:
            action, self._pending = self._pending, None
            self._next = self._clock() + self._interval
        if action is not None:
            action()

"""What a run remembers of its calls, so that the loop guard can tell repetition from progress.

A run makes progress when a call gives a result that this call did not give the last time. Since the last
progress, every further end of a call is a repetition, whether the call comes again and again or takes turns
with a few others.
"""

from __future__ import annotations

import threading

__all__ = ["Repetitions"]

KEPT = 256
"""Different calls remembered per run; the oldest is forgotten first."""


class Repetitions:
    """Counts how often each call gave its result again without progress. Safe for the threads of a batch."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._refused = 0
        self._lock = threading.Lock()

    def of(self, call: str) -> int:
        """How often this call has given one and the same result without progress of the run; 0: not yet."""
        return self._counts.get(call, 0)

    def note(self, call: str, result: str, period: int) -> int:
        """Add an end of this call; returns how often it has given this result without progress.

        `period` is how many calls may take turns and still count as repetition; the one that was seen
        longest ago starts anew when there are more.
        """
        with self._lock:
            news = self._last.pop(call, None) != result
            if len(self._last) >= KEPT:
                del self._last[next(iter(self._last))]
            self._last[call] = result
            if news:
                self._counts, self._refused = {call: 1}, 0
                return 1
            count = self._counts.pop(call, 1) + 1
            self._counts[call] = count
            while len(self._counts) > period:
                del self._counts[next(iter(self._counts))]
            return count

    def refuse(self) -> int:
        """Add a call that was refused for repetition; returns how many there were since the last progress."""
        with self._lock:
            self._refused += 1
            return self._refused

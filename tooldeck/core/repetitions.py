"""What a run remembers of its calls, so that the loop guard can tell repetition from progress."""

from __future__ import annotations

import threading

__all__ = ["Repetitions"]

KEPT = 256
"""Different calls remembered per run; the oldest is forgotten first."""


class Repetitions:
    """Counts, per call, how often in a row it gave the same result. Safe for the threads of a batch."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, str]] = {}
        self._blocked = 0
        self._lock = threading.Lock()

    def of(self, call: str) -> int:
        """How often in a row this call has given one and the same result."""
        return self._seen.get(call, (0, ""))[0]

    def note(self, call: str, result: str) -> int:
        """Add an end of this call; returns how often in a row it has given this result."""
        with self._lock:
            count, last = self._seen.pop(call, (0, ""))
            count = count + 1 if result == last else 1
            if len(self._seen) >= KEPT:
                del self._seen[next(iter(self._seen))]
            self._seen[call] = (count, result)
            return count

    def block(self) -> int:
        """Add a call that was refused for repetition; returns how many there were."""
        with self._lock:
            self._blocked += 1
            return self._blocked

"""Progress as lines of text, for terminals and for notebooks that a program runs: few of them."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["INTERRUPT", "ProgressLines", "reached"]

_PAUSE = 2.0
"""Seconds between two lines of one call."""
INTERRUPT = "to cancel it, interrupt the cell"
"""How a call is ended where there is no button."""


def reached(done: float, total: float | None, text: str) -> str:
    """How far a call is, in words; one that only says what it does has done nothing countable yet."""
    if not done and not total and text:
        return text
    words = f"{done:g} of {total:g}" if total else f"{done:g}"
    return f"{words} · {text}" if text else words


class ProgressLines:
    """Says how far calls are: each at most every two seconds, and when its total is reached.

    A call that is over within two seconds of its first report says nothing.
    """

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._say = say
        self._clock = clock
        self._due: dict[str, float] = {}
        self._spoken: set[str] = set()
        self._lock = threading.Lock()

    def move(
        self, call: str, title: str, done: float, total: float | None, text: str, *, hint: str = ""
    ) -> None:
        """Take in one report; the first line of a call ends with `hint`."""
        now = self._clock()
        with self._lock:
            due = self._due.setdefault(call, now + _PAUSE)
            first = call not in self._spoken
            last = not first and done == total
            if now < due and not last:
                return
            self._due[call] = now + _PAUSE
            self._spoken.add(call)
        more = f" ({hint})" if hint and first else ""
        self._say(f"{title}: {reached(done, total, text)}{more}")

    def end(self, call: str) -> None:
        """Forget a call that has ended."""
        self._due.pop(call, None)
        self._spoken.discard(call)

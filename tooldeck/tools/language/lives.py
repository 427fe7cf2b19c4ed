"""How often language servers ended by themselves: one that does so again and again is left alone."""

from __future__ import annotations

import time
from collections import deque

from tooldeck.core.errors import SetupError

__all__ = ["Lives"]

MOST_DEATHS = 3
"""A server that ended so often by itself within `DEATH_SECONDS` is not started again until it is told to."""
DEATH_SECONDS = 300.0
Key = tuple[str, str]
"""A workspace and the name of a server."""


class Lives:
    """The ends of the servers of one deck."""

    def __init__(self) -> None:
        self._deaths: dict[Key, deque[float]] = {}
        self._words: dict[Key, str] = {}

    def died(self, key: Key, words: str) -> None:
        """One has ended by itself; `words` say how."""
        self._deaths.setdefault(key, deque(maxlen=MOST_DEATHS)).append(time.monotonic())
        self._words[key] = words

    def over(self, key: Key) -> bool:
        """Whether one is not to be started any more."""
        deaths = self._deaths.get(key, deque[float]())
        return len(deaths) >= MOST_DEATHS and time.monotonic() - deaths[0] < DEATH_SECONDS

    def check(self, key: Key) -> None:
        """Raise `SetupError` for one that is not to be started any more."""
        if self.over(key):
            raise SetupError(
                f"The language server {key[1]!r} ended {MOST_DEATHS} times within {DEATH_SECONDS:g} s "
                f"({self._words[key]}); action='restart' starts it once more."
            )

    def last_words(self, key: Key) -> str:
        """How one ended last; empty where it never did."""
        return self._words.get(key, "")

    def forget(self, name: str) -> None:
        """Let a server begin anew, in every workspace."""
        for key in [key for key in self._deaths if key[1] == name]:
            del self._deaths[key], self._words[key]

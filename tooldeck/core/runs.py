"""The runs that a deck has seen calls of, so that another cell can steer or stop one."""

from __future__ import annotations

import weakref

from tooldeck.core.run import Run

__all__ = ["Runs"]


class Runs:
    """Holds runs weakly: one that nobody uses any more is gone from here."""

    def __init__(self) -> None:
        self._all: weakref.WeakValueDictionary[str, Run] = weakref.WeakValueDictionary()

    def saw(self, run: Run) -> None:
        """A call of this run came."""
        self._all[run.id] = run

    def active(self) -> list[Run]:
        """The runs under way, in the order in which their first calls came."""
        return [run for run in list(self._all.values()) if run.under_way]

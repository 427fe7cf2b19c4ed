"""Clocks that stand still while a person is asked, and time limits by them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tooldeck.core.call import ToolCall
    from tooldeck.core.run import Run

__all__ = ["Deadline", "Stopwatch", "as_deadline", "clocks_stopped"]

_LOOK = 0.05
"""Seconds between two looks at a clock that stands still."""


class Stopwatch:
    """The seconds since it was made, without those while it stood still. Safe from every thread."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._begun = now()
        self._stopped_at = 0.0
        self._stops = 0
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """What has passed."""
        with self._lock:
            return (self._stopped_at if self._stops else self._now()) - self._begun

    @property
    def stopped(self) -> bool:
        """Whether it stands still."""
        return self._stops > 0

    def stop(self) -> None:
        """Stand still until `go` was called as often."""
        with self._lock:
            if self._stops == 0:
                self._stopped_at = self._now()
            self._stops += 1

    def go(self) -> None:
        """Go on."""
        with self._lock:
            self._stops -= 1
            if self._stops == 0:
                self._begun += self._now() - self._stopped_at


class Deadline:
    """So many seconds from now on, never more than a deadline around it has left. Safe from every thread."""

    def __init__(self, now: Callable[[], float], seconds: float, within: Deadline | None = None) -> None:
        self.seconds = seconds
        self.within = within
        self._watch = Stopwatch(now)

    def left(self) -> float:
        """Seconds left, less than 0 when it has passed."""
        own = self._own()
        return own if self.within is None else min(own, self.within.left())

    def next_look(self) -> float:
        """Seconds after which it may have passed, as far as that can be known now."""
        left = max(0.0, self.left())
        return max(left, _LOOK) if self._watch.stopped else left

    @property
    def first(self) -> Deadline:
        """Of this one and those around it the one that passes first."""
        if self.within is None:
            return self
        outer = self.within.first
        return self if self._own() <= outer.left() else outer

    def stop(self) -> None:
        """Stop the clock, and those around it, until `go` was called as often."""
        self._watch.stop()
        if self.within is not None:
            self.within.stop()

    def go(self) -> None:
        """Let the clock go on."""
        self._watch.go()
        if self.within is not None:
            self.within.go()

    def _own(self) -> float:
        return self.seconds - self._watch.seconds


def as_deadline(limit: float | Deadline | None, now: Callable[[], float]) -> Deadline | None:
    """A limit in seconds as a deadline that starts now."""
    return Deadline(now, limit) if isinstance(limit, int | float) else limit


@contextlib.contextmanager
def clocks_stopped(call: ToolCall | None, run: Run | None = None) -> Generator[None]:
    """While the block lasts, time counts neither against `call` nor against those whose bodies started it.

    Nor does it count against the runs that they are made in, or against `run`.
    """
    stopped = [*_clocks(call, run)]
    for clock in stopped:
        clock.stop()
    try:
        yield
    finally:
        for clock in stopped:
            clock.go()


def _clocks(call: ToolCall | None, run: Run | None) -> Generator[Deadline | Stopwatch]:
    runs = {id(run): run} if run is not None else {}
    log = None if call is None else call.log
    while log is not None:
        if log.clock is not None:
            yield log.clock
        around = None if log.call is None else log.call.caller.run
        if around is not None:
            runs[id(around)] = around
        log = log.outer
    for one in runs.values():
        if one.account is not None:
            yield one.account.watch

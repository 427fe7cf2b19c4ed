"""Progress: how the body of a tool says how far it is, without ever flooding whoever listens."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from tooldeck.core.call import ToolCall
from tooldeck.core.events import Progressed

if TYPE_CHECKING:
    from tooldeck.core.world import World

__all__ = ["Progress", "progress_of"]

EVERY = 0.05
"""Seconds between two reports that are passed on; of those in between the last one counts."""


class Progress:
    """Reports of one call: ``progress(done, total, text)``, from any thread, as often as the body likes.

    Observers are told at most twenty times a second; the last report always gets through. Reports that come
    after the call ended are dropped.
    """

    def __init__(
        self,
        call: ToolCall,
        emit: Callable[[Progressed], None] | None,
        now: Callable[[], float],
    ) -> None:
        self._call = call
        self._emit = emit
        self._now = now
        self._due = -math.inf
        self._held: Progressed | None = None
        self._ended = False
        self._lock = threading.RLock()

    def __call__(self, done: float, total: float | None = None, text: str = "") -> None:
        """Say that `done` of `total` is reached; without a total only that something moves.

        Raises ValueError for what is no finite number.
        """
        report = Progressed(self._call, _finite("done", done), _finite_or_none(total), str(text))
        if self._emit is None:
            return
        with self._lock:  # around the telling as well, so that an older report never comes after a newer one
            if self._ended:
                return
            now = self._now()
            if now < self._due and report.done != report.total:
                self._held = report
                return
            self._due, self._held = now + EVERY, None
            self._emit(report)

    def end(self) -> None:
        """Pass on the last report that was held back; later ones are dropped."""
        with self._lock:
            held, self._held, self._ended = self._held, None, True
            if held is not None and self._emit is not None:
                self._emit(held)


def progress_of(call: ToolCall, world: World) -> Progress:
    """The progress of a call, made when first asked for; `wrap` ends it with the body."""
    log = call.log
    if log.progress is None:
        log.progress = Progress(call, world.emit, world.host.now)
    return log.progress


def _finite(what: str, given: float) -> float:
    if isinstance(given, int | float) and math.isfinite(given):
        return given
    raise ValueError(f"progress: {what} must be a finite number, got {given!r}.")


def _finite_or_none(given: float | None) -> float | None:
    return None if given is None else _finite("total", given)

"""Saying something once a person has waited for a while; what comes sooner needs no word."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial

from tooldeck.notebook.kernel.environment import Audience, audience
from tooldeck.notebook.kernel.jobs import here, post
from tooldeck.notebook.progress import ProgressBars

__all__ = ["Later", "told_if_slow"]

_numbers = itertools.count(1)


class Later:
    """Work for the thread that makes this, in its context, once it has waited so many seconds."""

    def __init__(self, seconds: float, work: Callable[[], object]) -> None:
        self._job: Future[object] | None = None
        self._over = threading.Event()
        self._post = partial(post, copy_context().run, work, place=here())
        self._timer = threading.Timer(seconds, self._due)
        self._timer.daemon = True
        self._timer.start()

    def _due(self) -> None:
        self._job = self._post()
        if self._over.is_set():
            self._job.cancel()

    def cancel(self) -> None:
        """Take the work back, if it has not begun."""
        self._over.set()
        self._timer.cancel()
        if self._job is not None:
            self._job.cancel()


@contextmanager
def told_if_slow(bars: ProgressBars, what: str, words: str, patience: float = 1.0) -> Generator[None]:
    """Around work that blocks a cell: after so many seconds a bar says what is waited for, and then its end.

    Only where a page shows it; a program that runs the notebook needs no such word.
    """
    if audience() is not Audience.WIDGETS:
        yield
        return
    key = f"slow/{next(_numbers)}"
    later = Later(patience, partial(bars.move, key, what, 0, None, words))
    end = "not done"
    try:
        yield
        end = "done"
    finally:
        later.cancel()
        bars.end(key, end)

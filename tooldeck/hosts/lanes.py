"""Work on a thread of its own that can be interrupted, as Ctrl-C interrupts the main thread."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

from tooldeck.hosts.threads import prepared

__all__ = ["Lane", "when_interrupted"]

_LANE: ContextVar[Lane | None] = ContextVar("tooldeck_lane", default=None)


def when_interrupted(cancel: Callable[[], object]) -> None:
    """Run `cancel` when the lane that this context belongs to is interrupted; at once where it was.

    For what a lane started elsewhere: the interrupt may hit the thread before it holds on to the work.
    """
    lane = _LANE.get()
    if lane is not None:
        lane.hold(cancel)


class Lane:
    """One function on a thread of its own, in a copy of the caller's context; `future` is its end.

    It runs from `start` on: whoever starts it can put it first where an interrupt of its own will find it.
    """

    def __init__(self, function: Callable[[], Any], name: str = "") -> None:
        self._function = function
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._interrupted = False
        self._cancels: list[Callable[[], object]] = []
        self.future: Future[Any]
        self.future, thread = prepared(self._run, name)
        self.start = thread.start

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the function; it comes when the function next runs Python code.

        One that has not begun never begins; one that has ended is left alone.
        """
        if self.future.cancel():
            return
        with self._lock:  # held, so that the exception can hit nothing but the function
            self._interrupted = True
            cancels = list(self._cancels)
            if self._thread is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread), ctypes.py_object(KeyboardInterrupt)
                )

        for cancel in cancels:
            with contextlib.suppress(RuntimeError):  # the loop that it ran on is gone, and the work with it
                cancel()

    def hold(self, cancel: Callable[[], object]) -> None:
        """See `when_interrupted`."""
        with self._lock:
            late = self._interrupted
            self._cancels.append(cancel)
        if late:
            cancel()

    def _run(self) -> Any:
        _LANE.set(self)
        with self._lock:
            self._thread = threading.get_ident()
        try:
            return self._function()
        finally:
            with self._lock:
                self._thread = None

"""Work on a thread of its own that can be interrupted, as Ctrl-C interrupts the main thread."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from tooldeck.hosts.threads import start

__all__ = ["Lane"]


class Lane:
    """One function running on its thread, in a copy of the caller's context; `future` is its end."""

    def __init__(self, function: Callable[[], Any], name: str = "") -> None:
        self._function = function
        self._lock = threading.Lock()
        self._thread: int | None = None
        self.future: Future[Any] = start(self._run, name)

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the function; it comes when the function next runs Python code.

        One that has not begun never begins; one that has ended is left alone.
        """
        if self.future.cancel():
            return
        with self._lock:  # held, so that the exception can hit nothing but the function
            if self._thread is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread), ctypes.py_object(KeyboardInterrupt)
                )

    def _run(self) -> Any:
        with self._lock:
            self._thread = threading.get_ident()
        try:
            return self._function()
        finally:
            with self._lock:
                self._thread = None

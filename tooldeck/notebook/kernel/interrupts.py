"""SIGINT during a wait, and the thing that ends a poll.

While a pump is open on the main thread, SIGINT only raises a flag and wakes the wait, because a
KeyboardInterrupt between "received" and "queued" would lose a message. Inside a widget callback it is
raised at once and flagged as well, since an exception in a callback can vanish in a destructor.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["Interrupts", "Waker"]


class Waker:
    """A flag that ends a poll; may be raised from any thread and from a signal handler."""

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)

    def __call__(self, *_ignored: object) -> None:
        """Wake the wait, now or at its next poll; does nothing once closed."""
        with contextlib.suppress(OSError):
            self._writer.send(b"\0")

    def fileno(self) -> int:
        """The descriptor to poll."""
        return self._reader.fileno()

    def clear(self) -> None:
        """Take back the flag."""
        with contextlib.suppress(OSError):
            while self._reader.recv(4096):
                pass

    def close(self) -> None:
        """Release the descriptors."""
        self._reader.close()
        self._writer.close()


class Interrupts:
    """SIGINT as a flag, for as long as it is installed; does nothing off the main thread."""

    def __init__(self, wake: Callable[[], object]) -> None:
        self.flagged = False
        """Whether the user interrupted."""
        self.flagged_before = False
        """Whether this is not the first time."""
        self.forward = False
        """Wake the wait and leave the signal to the handler below, which only speaks to the loop; so
        KeyboardInterrupt is raised all the same where `raise_now` says that code is keeping the loop."""
        self.raise_now: Callable[[], bool] = lambda: False
        """Asked inside the signal handler: may KeyboardInterrupt be raised right here?"""
        self.wake = wake
        self._previous: Any = None
        self._installed = False

    def install(self) -> None:
        """Take SIGINT over."""
        if threading.current_thread() is threading.main_thread():
            # In this order, so that a signal in between is neither lost nor raised in the middle.
            self._previous = signal.getsignal(signal.SIGINT)
            self._installed = True
            signal.signal(signal.SIGINT, self._on_signal)

    def remove(self) -> None:
        """Give SIGINT back. If another handler lies on top by now, ours stays and passes signals on."""
        if self._installed:
            self._installed = False
            if signal.getsignal(signal.SIGINT) == self._on_signal:
                signal.signal(signal.SIGINT, self._previous)

    def check(self) -> None:
        """Raise the KeyboardInterrupt that was flagged."""
        if self.flagged:
            raise KeyboardInterrupt

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if not self._installed or self.forward:
            if self._installed and self.raise_now():
                raise KeyboardInterrupt
            self.wake()
            if callable(self._previous):
                self._previous(number, frame)
            return
        self.flagged_before = self.flagged
        self.flagged = True
        if self.raise_now():
            raise KeyboardInterrupt
        self.wake()

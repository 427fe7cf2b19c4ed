"""The cancel token: how a body that cannot be stopped from outside learns that nobody waits for it."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from tooldeck.core.errors import Cancelled

if TYPE_CHECKING:
    from tooldeck.core.call import ToolCall

__all__ = ["CancelToken", "token_of"]

_log = logging.getLogger("tooldeck")


class CancelToken:
    """Says whether a call was given up: its limit passed, a person interrupted it or stopped its run.

    Safe from every thread. A token is set once and stays set; the first reason counts.
    """

    def __init__(self) -> None:
        self._set = threading.Event()
        self._reason = ""
        self._lock = threading.RLock()
        self._hearers: dict[object, Callable[[], object]] = {}
        self._followers: weakref.WeakSet[CancelToken] = weakref.WeakSet()

    @property
    def cancelled(self) -> bool:
        """Whether the call was given up."""
        return self._set.is_set()

    @property
    def reason(self) -> str:
        """Why, in a few words; empty while it was not."""
        return self._reason

    def raise_if_cancelled(self) -> None:
        """Raise `Cancelled` where the call was given up; let it out, and the call ends as ``cancelled``."""
        if self._set.is_set():
            raise Cancelled(self._reason)

    def wait(self, seconds: float | None = None) -> bool:
        """Block until the call is given up (True) or seconds are over (False); None waits for ever."""
        return self._set.wait(seconds)

    def on_cancel(self, hearer: Callable[[], object]) -> Callable[[], None]:
        """Run `hearer` when the call is given up, at once where it was; returns the function that undoes it.

        It runs on the thread that gives the call up. One that raises is logged and disturbs nobody.
        """
        key = object()
        with self._lock:
            late = self._set.is_set()
            if not late:
                self._hearers[key] = hearer
        if late:
            _tell(hearer)
        return lambda: self._forget(key)

    def cancel(self, reason: str = "it was cancelled") -> None:
        """Set the token, and every token that follows it; does nothing when it is set already."""
        with self._lock:
            if self._set.is_set():
                return
            self._reason = reason
            self._set.set()
            hearers, self._hearers = list(self._hearers.values()), {}
            followers = list(self._followers)
        for follower in followers:
            follower.cancel(reason)
        for hearer in hearers:
            _tell(hearer)

    def follow(self, other: CancelToken) -> None:
        """Be set when `other` is. The other one does not keep this one alive."""
        with other._lock:
            other._followers.add(self)
            late = other.cancelled
        if late:
            self.cancel(other.reason)

    def _forget(self, key: object) -> None:
        with self._lock:
            self._hearers.pop(key, None)

    def __repr__(self) -> str:
        return f"<CancelToken cancelled: {self._reason}>" if self.cancelled else "<CancelToken>"


def _tell(hearer: Callable[[], object]) -> None:
    try:
        hearer()
    except Exception:  # noqa: BLE001 - a listener must not keep the others from hearing
        _log.exception("A function given to on_cancel failed: %r", hearer)


_making = threading.RLock()


def token_of(call: ToolCall) -> CancelToken:
    """The token of a call, made when first asked for; it follows those of its run and of the outer call."""
    log = call.log
    if log.token is None:
        with _making:
            if log.token is None:
                token = CancelToken()
                if call.caller.run is not None:
                    token.follow(call.caller.run.token)
                if log.outer is not None and log.outer.call is not None:
                    token.follow(token_of(log.outer.call))
                log.token = token
    return log.token

"""Telling observers what happens. An observer that fails is left out from then on and disturbs nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable

from tooldeck.core.events import Event

__all__ = ["Observer", "Observers"]

Observer = Callable[[Event], None]
_log = logging.getLogger("tooldeck")


class Observers:
    """The observers of one deck, told in the order in which they came."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._all: tuple[Observer, ...] = ()
        self._changed = changed

    @property
    def tell_all(self) -> Callable[[Event], None] | None:
        """The function that tells an event, or None while nobody listens."""
        return self.tell if self._all else None

    def add(self, observer: Observer) -> Callable[[], None]:
        """Tell `observer` from now on; returns the function that ends it."""

        def once(event: Event) -> None:  # an identity of its own, should the same observer come twice
            observer(event)

        self._all = (*self._all, once)
        self._changed()
        return lambda: self._remove(once)

    def tell(self, event: Event) -> None:
        """Tell everybody, on this thread."""
        for observer in self._all:
            try:
                observer(event)
            except Exception:  # noqa: BLE001 - a watcher must not decide over a call
                self._remove(observer)
                _log.exception("An observer of the deck failed and is no longer told.")

    def _remove(self, observer: Observer) -> None:
        self._all = tuple(known for known in self._all if known is not observer)
        self._changed()

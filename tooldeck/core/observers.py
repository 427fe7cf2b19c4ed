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
        """Tell everybody, on this thread; an interrupt goes on once all were told."""
        stop: BaseException | None = None
        for observer in self._all:
            try:
                observer(event)
            except RecursionError as error:
                # No fault of the observer's where the calls around it have used up the stack, so that a body
                # which calls itself cannot switch off the log. Only attributes here: nothing can be called.
                frame = error.__traceback__.tb_frame.f_back if error.__traceback__ is not None else None
                while frame is not None and frame.f_code is not Observers.tell.__code__:
                    frame = frame.f_back
                if frame is not None:  # it makes calls itself, of which it is told, and so on
                    self._remove(observer)
            except Exception:  # noqa: BLE001 - a watcher must not decide over a call
                self._remove(observer)
                _log.exception("An observer of the deck failed and is no longer told.")
            except BaseException as interrupt:  # noqa: BLE001 - raised again below
                stop = interrupt
        if stop is not None:
            raise stop

    def _remove(self, observer: Observer) -> None:
        self._all = tuple(known for known in self._all if known is not observer)
        self._changed()

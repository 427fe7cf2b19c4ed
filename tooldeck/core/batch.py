"""Carrying out a plan: starts what may start, waits for any to end; an interrupt ends all."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import Future, InvalidStateError
from typing import Any, Protocol

from tooldeck.core.errors import DefinitionError
from tooldeck.core.host import Host

__all__ = ["Batch", "Beside", "check_limit", "first_of"]

_SETTLE = 3.0
"""Seconds that interrupted calls are given to end before the interrupt goes on."""


class Beside(Protocol):
    """A call that runs beside others."""

    @property
    def future(self) -> Future[Any]:
        """Done when the call has ended; has an exception only where nothing may go on."""
        ...

    def start(self) -> None:
        """Begin; until then it is known, but does nothing."""
        ...

    def interrupt(self) -> None:
        """End it as soon as it can be ended; what has not begun never begins."""
        ...


class Batch:
    """One batch: `waits` says who waits for whom, `alone` runs a call here, `beside` makes one elsewhere."""

    def __init__(
        self,
        waits: Sequence[frozenset[int]],
        limit: int,
        alone: Callable[[int], Coroutine[Any, Any, Any]],
        beside: Callable[[int], Beside],
    ) -> None:
        self._waits = waits
        self._limit = limit
        self._alone = alone
        self._beside = beside
        self._left = list(range(len(waits)))
        self._running: dict[int, Beside] = {}
        self._done: set[int] = set()

    async def run(self, host: Host) -> None:
        """Carry it out; raises what ends the whole batch, after the calls under way had time to end."""
        try:
            while self._left or self._running:
                await self._step(host)
        except BaseException:
            await self._give_up(host)
            raise

    async def _step(self, host: Host) -> None:
        ready = [place for place in self._left if self._waits[place] <= self._done]
        if not self._running and len(ready) == 1:
            self._left.remove(ready[0])
            await self._alone(ready[0])
            self._done.add(ready[0])
            return
        for place in ready[: self._limit - len(self._running)]:
            self._left.remove(place)
            self._running[place] = self._beside(place)
            self._running[
                place
            ].start()  # known by now, since starting takes time in which an interrupt comes
        await host.wait(first_of(call.future for call in self._running.values()))
        for place, call in list(self._running.items()):
            if call.future.done():
                del self._running[place]
                self._done.add(place)
                call.future.result()

    async def _give_up(self, host: Host) -> None:
        """Interrupt what runs, and wait for it, but not for ever."""
        calls = list(self._running.values())
        for call in calls:
            call.interrupt()
        with contextlib.suppress(TimeoutError):
            for call in calls:
                if not call.future.done():
                    await host.wait(first_of([call.future]), _SETTLE)


def first_of(futures: Iterable[Future[Any]]) -> Future[None]:
    """A future that is done when any of these is; cancelling it cancels nothing."""
    woken: Future[None] = Future()

    def wake(_ended: Future[Any]) -> None:
        with contextlib.suppress(InvalidStateError):
            woken.set_result(None)

    for future in futures:
        future.add_done_callback(wake)
    return woken


def check_limit(limit: Any) -> int:
    """How many calls may run at once; raises `DefinitionError` for what is no number of calls."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise DefinitionError(f"limit must be a number of calls, 1 or more, got {limit!r}.")
    return limit

"""The host of blocking calls: never suspends, so that the pipeline runs on the caller's own thread.

A notebook overrides `wait`, `sleep` and `drive` with forms that keep widgets alive.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from typing import Any, TypeVar

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.host import LimitPassed, Work
from tooldeck.hosts.background import background
from tooldeck.hosts.prompt import ask_on_terminal
from tooldeck.hosts.threads import start

__all__ = ["BlockingHost", "step"]

T = TypeVar("T")
_TICK = 0.1
"""Seconds between looks at signals while a plain wait goes on."""
_GRACE = 0.03
"""Seconds in which cancelled work may end after its limit passed, to be called stopped."""
_SETTLE = 3.0
"""Seconds that cancelled work is given to end before an interrupt goes on."""


def step(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends, on this thread."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise RuntimeError("a blocking call met something that suspends; await deck.acall(...) instead")


class BlockingHost:
    """Waits by blocking the thread; asks on the terminal where there is one, else refuses."""

    def now(self) -> float:
        """Monotonic seconds."""
        return time.perf_counter()

    async def sleep(self, seconds: float) -> None:
        """Block for `seconds`."""
        self.pause(seconds)

    async def wait(self, future: Future[T], timeout: float | None = None) -> T:
        """Block until `future` is done; see `Host.wait`."""
        try:
            return self.block(future, timeout)
        except KeyboardInterrupt:
            self.abandon(future)
            raise

    async def run(self, work: Work) -> Any:
        """See `Host.run`."""
        if work.executor is not None:
            return self._limited(work.executor.submit(work.function), work.limit, stoppable=True)
        if work.is_async:
            return self.drive(work)
        if work.limit is None:
            return work.function()
        return self._limited(start(work.function, work.label), work.limit, stoppable=False)

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Prompt on the terminal; refuse where there is none."""
        return ask_on_terminal(request)

    def pause(self, seconds: float) -> None:
        """Sleep. A notebook serves clicks meanwhile."""
        time.sleep(max(0.0, seconds))

    def block(self, future: Future[T], timeout: float | None = None) -> T:
        """Wait for `future` on this thread. A notebook serves clicks meanwhile."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _TICK if end is None else min(_TICK, end - time.monotonic())
            try:
                return future.result(max(0.0, left))
            except FutureTimeout:
                if future.done():
                    return future.result()  # its own time-out, or a value that came this very moment
                if end is not None and time.monotonic() >= end:
                    raise TimeoutError from None

    def drive(self, work: Work) -> Any:
        """Run an async body that belongs to no loop in particular: on the session thread."""
        return self._limited(background().submit(partial(_awaited, work)), work.limit, stoppable=True)

    def _limited(self, future: Future[Any], limit: float | None, *, stoppable: bool) -> Any:
        try:
            return self.block(future, limit)
        except TimeoutError:
            if future.done():
                return future.result()  # the body's own, or a value that came this very moment
            stopped = future.cancel() and stoppable and _has_ended(future, _GRACE)
            raise LimitPassed(limit or 0.0, still_running=not stopped) from None
        except KeyboardInterrupt:
            self.abandon(future)
            raise

    def abandon(self, future: Future[Any]) -> None:
        """Cancel work after an interrupt and give it a moment to end."""
        future.cancel()
        _has_ended(future, _SETTLE)


def _has_ended(future: Future[Any], within: float) -> bool:
    """Whether cancelled work really ends within so many seconds, as far as its future can tell."""
    finished = getattr(future, "finished", None)
    return finished is None or finished.wait(within)


async def _awaited(work: Work) -> Any:
    value = work.function()
    return await value if inspect.isawaitable(value) else value

"""The host of blocking calls: never suspends, so that the pipeline runs on the caller's own thread.

A notebook overrides `block` and `drive` with forms that keep widgets alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from collections.abc import Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from typing import Any, TypeVar

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.deadline import Deadline, as_deadline
from tooldeck.core.host import LimitPassed, Work
from tooldeck.hosts.background import background
from tooldeck.hosts.lanes import when_interrupted
from tooldeck.hosts.prompt import ask_on_terminal
from tooldeck.hosts.threads import leave_behind, start

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

    in_place = False

    def now(self) -> float:
        """Monotonic seconds."""
        return time.perf_counter()

    async def sleep(self, seconds: float, woken: Future[Any]) -> None:
        """Block for `seconds`, at most until `woken` is done."""
        with contextlib.suppress(TimeoutError):
            self.block(woken, max(0.0, seconds))

    async def wait(self, future: Future[T], timeout: float | None = None) -> T:
        """Block until `future` is done; see `Host.wait`."""
        try:
            return self.block(future, timeout)
        except KeyboardInterrupt:
            self.abandon(future)
            raise

    async def run(self, work: Work) -> Any:
        """See `Host.run`."""
        limit = as_deadline(work.limit, self.now)
        if work.executor is not None:
            return self._limited(work.executor.submit(work.function), limit)
        if work.is_async:
            return self.drive(work)
        if limit is None:
            return work.function()
        return self._limited(start(work.function, work.label), limit, label=work.label)

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Prompt on the terminal; refuse where there is none."""
        return ask_on_terminal(request)

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
        limit = as_deadline(work.limit, self.now)
        return self._limited(background().submit(partial(_awaited, work)), limit)

    def _limited(self, future: Future[Any], limit: Deadline | None, *, label: str | None = None) -> Any:
        """The result of a body elsewhere. One with a `label` is on a thread of ours and cannot be stopped."""
        while True:
            try:
                return self.block(future, None if limit is None else limit.next_look())
            except TimeoutError:
                if future.done():
                    return future.result()  # the body's own, or a value that came this very moment
                if limit is None or limit.left() <= 0:
                    break
            except KeyboardInterrupt:
                self.abandon(future)
                raise
        if label is not None and not future.cancel():
            leave_behind(future, label)
        stopped = label is None and future.cancel() and _has_ended(future, _GRACE)
        raise LimitPassed(limit.first.seconds if limit is not None else 0.0, still_running=not stopped)

    def abandon(self, future: Future[Any]) -> None:
        """Cancel work after an interrupt and give it a moment to end."""
        future.cancel()
        _has_ended(future, _SETTLE)


def _has_ended(future: Future[Any], within: float) -> bool:
    """Whether cancelled work really ends within so many seconds, as far as its future can tell."""
    finished = getattr(future, "finished", None)
    return finished is None or finished.wait(within)


async def _awaited(work: Work) -> Any:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    if task is not None:
        when_interrupted(lambda: loop.call_soon_threadsafe(task.cancel))
    value = work.function()
    return await value if inspect.isawaitable(value) else value

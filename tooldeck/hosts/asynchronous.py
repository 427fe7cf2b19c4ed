"""The host of awaited calls: suspends into the running loop."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from concurrent.futures import Future
from typing import Any, TypeVar

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.deadline import Deadline, as_deadline
from tooldeck.core.host import LimitPassed, Work
from tooldeck.hosts.lanes import Lane
from tooldeck.hosts.prompt import ask_on_terminal
from tooldeck.hosts.threads import leave_behind, start

__all__ = ["AsyncHost"]

T = TypeVar("T")
_GRACE = 0.03
"""Seconds in which a cancelled body may end after its limit passed, to be called stopped."""
_SETTLE = 3.0
"""Seconds that a cancelled body is given to end before the cancellation goes on."""


class AsyncHost:
    """Waits by awaiting; asks on the terminal where there is one, else refuses.

    A notebook overrides `wait` with a form that hears clicks and interrupts.
    """

    in_place = True

    def now(self) -> float:
        """Monotonic seconds."""
        return time.perf_counter()

    async def sleep(self, seconds: float, woken: Future[Any]) -> None:
        """Suspend for `seconds`, at most until `woken` is done."""
        with contextlib.suppress(TimeoutError):
            await self.wait(woken, max(0.0, seconds))

    async def wait(self, future: Future[T], timeout: float | None = None) -> T:
        """Suspend until `future` is done; see `Host.wait`."""
        # Not `asyncio.wrap_future`: its future never ends where this one failed with StopIteration.
        # Not `asyncio.timeout`: with nest_asyncio 1.x applied on Python 3.14 it finds no task to cancel.
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()

        def wake(_ended: Future[T]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(_settle, woken)

        future.add_done_callback(wake)
        timer = None if timeout is None else loop.call_later(timeout, _settle, woken)
        try:
            await woken  # itself: through `asyncio.wait` it takes one more turn of the loop
        except asyncio.CancelledError:
            future.cancel()
            raise
        finally:
            if timer is not None:
                timer.cancel()
        if future.done():
            return future.result()
        raise TimeoutError

    async def run(self, work: Work) -> Any:
        """See `Host.run`."""
        limit = as_deadline(work.limit, self.now)
        if work.executor is not None:
            return await self._limited(work.executor.submit(work.function), limit)
        if work.is_async:
            return await self._awaited(work, limit)
        if limit is None:
            return work.function()
        return await self._limited(start(work.function, work.label), limit, label=work.label)

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Prompt on the terminal, off the loop; refuse where there is none."""
        asking = Lane(lambda: ask_on_terminal(request), "prompt")
        asking.start()
        try:
            return await self.wait(asking.future)
        except asyncio.CancelledError:
            asking.interrupt()  # else the next line typed would be its answer
            raise

    async def _awaited(self, work: Work, limit: Deadline | None) -> Any:
        """The value of an async body; one that ignores its cancellation is left behind after its limit."""
        if limit is None:
            return await _value(work)
        task = asyncio.ensure_future(_value(work))
        task.add_done_callback(_noticed)
        try:
            while not task.done() and limit.left() > 0:
                await asyncio.wait({task}, timeout=limit.next_look())
        except asyncio.CancelledError:
            await _stop(task, _SETTLE)
            raise
        if task.done():
            return task.result()
        await _stop(task, _GRACE)
        raise LimitPassed(limit.first.seconds, still_running=not task.done())

    async def _limited(self, future: Future[Any], limit: Deadline | None, *, label: str | None = None) -> Any:
        """The result of a body elsewhere. One with a `label` is on a thread of ours and cannot be stopped."""
        while True:
            try:
                return await self.wait(future, None if limit is None else limit.next_look())
            except TimeoutError:
                if future.done() and not future.cancelled():
                    return future.result()  # the body's own, or a value that came this very moment
                if limit is None or limit.left() <= 0:
                    break
        if label is not None and not future.cancel():
            leave_behind(future, label)
        stopped = label is None and future.cancel()
        raise LimitPassed(limit.first.seconds if limit is not None else 0.0, still_running=not stopped)


def _settle(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)


async def _value(work: Work) -> Any:
    value = work.function()
    return await value if inspect.isawaitable(value) else value


async def _stop(task: asyncio.Task[Any], within: float) -> None:
    """Cancel a task and give it so many seconds to end."""
    task.cancel()
    await asyncio.wait({task}, timeout=within)


def _noticed(task: asyncio.Future[Any]) -> None:
    """Take the exception of a task or future that nobody waits for any more."""
    if not task.cancelled():
        task.exception()

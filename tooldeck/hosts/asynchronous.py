"""The host of awaited calls: suspends into the running loop."""

from __future__ import annotations

import asyncio
import inspect
import time
from concurrent.futures import Future
from typing import Any, TypeVar

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.host import LimitPassed, Work
from tooldeck.hosts.prompt import ask_on_terminal
from tooldeck.hosts.threads import start

__all__ = ["AsyncHost"]

T = TypeVar("T")
_GRACE = 0.03
"""Seconds in which a cancelled body may end after its limit passed, to be called stopped."""
_SETTLE = 3.0
"""Seconds that a cancelled body is given to end before the cancellation goes on."""


class AsyncHost:
    """Waits by awaiting; asks on the terminal where there is one, else refuses.

    A notebook overrides `wait` and `sleep` with forms that hear clicks and interrupts.
    """

    def now(self) -> float:
        """Monotonic seconds."""
        return time.perf_counter()

    async def sleep(self, seconds: float) -> None:
        """Suspend for `seconds`."""
        await asyncio.sleep(max(0.0, seconds))

    async def wait(self, future: Future[T], timeout: float | None = None) -> T:
        """Suspend until `future` is done; see `Host.wait`."""
        # Not `asyncio.timeout`: with nest_asyncio 1.x applied on Python 3.14 it finds no task to cancel.
        wrapped = asyncio.wrap_future(future)
        try:
            await asyncio.wait({wrapped}, timeout=timeout)
            if not wrapped.done():
                raise TimeoutError
        finally:
            wrapped.cancel()
        return wrapped.result()

    async def run(self, work: Work) -> Any:
        """See `Host.run`."""
        if work.executor is not None:
            return await self._limited(work.executor.submit(work.function), work.limit, stoppable=True)
        if work.is_async:
            return await self._awaited(work)
        if work.limit is None:
            return work.function()
        return await self._limited(start(work.function, work.label), work.limit, stoppable=False)

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Prompt on the terminal, off the loop; refuse where there is none."""
        return await self.wait(start(lambda: ask_on_terminal(request), "prompt"))

    async def _awaited(self, work: Work) -> Any:
        """The value of an async body; one that ignores its cancellation is left behind after its limit."""
        if work.limit is None:
            return await _value(work)
        task = asyncio.ensure_future(_value(work))
        task.add_done_callback(_noticed)
        try:
            await asyncio.wait({task}, timeout=work.limit)
        except asyncio.CancelledError:
            await _stop(task, _SETTLE)
            raise
        if task.done():
            return task.result()
        await _stop(task, _GRACE)
        raise LimitPassed(work.limit, still_running=not task.done())

    async def _limited(self, future: Future[Any], limit: float | None, *, stoppable: bool) -> Any:
        try:
            return await self.wait(future, limit)
        except TimeoutError:
            if future.done() and not future.cancelled():
                return future.result()  # the body's own, or a value that came this very moment
            stopped = future.cancel() and stoppable
            raise LimitPassed(limit or 0.0, still_running=not stopped) from None


async def _value(work: Work) -> Any:
    value = work.function()
    return await value if inspect.isawaitable(value) else value


async def _stop(task: asyncio.Task[Any], within: float) -> None:
    """Cancel a task and give it so many seconds to end."""
    task.cancel()
    await asyncio.wait({task}, timeout=within)


def _noticed(task: asyncio.Task[Any]) -> None:
    """Take the exception of a task that nobody waits for any more."""
    if not task.cancelled():
        task.exception()

"""The host of awaited calls: suspends into the running loop."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from typing import Any, TypeVar

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.host import LimitPassed, Work
from tooldeck.hosts.prompt import ask_on_terminal
from tooldeck.hosts.threads import start

__all__ = ["AsyncHost"]

T = TypeVar("T")


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
        async with asyncio.timeout(timeout):
            return await asyncio.wrap_future(future)

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
        return await self.wait(start(lambda: ask_on_terminal(request), "prompt"), request.timeout)

    async def _awaited(self, work: Work) -> Any:
        clock = asyncio.timeout(work.limit)
        try:
            async with clock:
                return await work.function()
        except TimeoutError:
            if clock.expired():
                raise LimitPassed(work.limit or 0.0, still_running=False) from None
            raise

    async def _limited(self, future: Future[Any], limit: float | None, *, stoppable: bool) -> Any:
        try:
            return await self.wait(future, limit)
        except TimeoutError:
            if future.done() and not future.cancelled():
                raise  # the body's own
            cancelled = future.cancel()
            raise LimitPassed(limit or 0.0, still_running=not (stoppable and cancelled)) from None

"""The hosts of a notebook: the same waits as everywhere, by the functions that keep widgets alive."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Any, TypeVar

from tooldeck.core.deadline import Deadline
from tooldeck.core.host import Work
from tooldeck.hosts.asynchronous import AsyncHost
from tooldeck.hosts.background import background
from tooldeck.hosts.blocking import BlockingHost
from tooldeck.notebook.kernel.adapter import running_kernel
from tooldeck.notebook.kernel.executor import KernelJob, KernelLoop
from tooldeck.notebook.kernel.reentry import can_run_here, run_here
from tooldeck.notebook.kernel.waiting import attend, wait, wait_async

__all__ = ["KernelAsyncHost", "KernelHost"]

T = TypeVar("T")


class KernelHost(BlockingHost):
    """Blocks a cell without making it deaf."""

    def block(self, future: Future[T], timeout: float | None = None) -> T:
        """Wait for `future`, with live widgets; raises `TooldeckError` on the session thread itself."""
        if isinstance(future, KernelJob):
            return future.result(timeout)
        if not future.done():
            background().refuse_to_block()
        return wait(future, timeout)

    async def run(self, work: Work) -> Any:
        """Run a body; one that would have to wait for the loop that this very code blocks is not started."""
        if isinstance(work.executor, KernelLoop):
            work.executor.refuse_to_block()
        return await super().run(work)

    def drive(self, work: Work) -> Any:
        """Run an async body on the kernel's own loop, where its clients live.

        Where that loop cannot be entered again, and in a worker thread while no cell waits, it runs on the
        session thread, as it does outside a kernel.
        """
        if running_kernel() is None or not can_run_here():
            return super().drive(work)
        return run_here(AsyncHost().run(work))


class KernelAsyncHost(AsyncHost):
    """Awaits in a cell without making it deaf."""

    in_place = False  # an await of the cell has to be heard by its widgets

    async def wait(self, future: Future[T], timeout: float | None = None) -> T:
        """Suspend until `future` is done, with live widgets; interrupt and cancellation cancel it."""
        try:
            return await wait_async(future, timeout)
        except (KeyboardInterrupt, asyncio.CancelledError):
            future.cancel()
            raise

    async def _awaited(self, work: Work, limit: Deadline | None) -> Any:
        return await attend(super()._awaited(work, limit))

"""Progress of served calls on its way to the client: in order, always forward, never after the answer."""

from __future__ import annotations

import asyncio
import contextlib
import math
from typing import Any, Self

from tooldeck.core.events import Progressed

__all__ = ["Reports"]


class Reports:
    """Passes the reports of one call on; `tell` may be called from any thread."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Progressed | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def tell(self, report: Progressed) -> None:
        """Pass on a report of the body."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._take, report)

    def _take(self, report: Progressed) -> None:
        if self._task is None:  # most calls report nothing
            self._task = asyncio.ensure_future(self._pass_on())
        self._queue.put_nowait(report)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        if error[0] is None:
            await asyncio.sleep(0)  # what other threads have told comes first
            if self._task is not None:
                self._queue.put_nowait(None)
                await self._task
        elif self._task is not None:
            self._task.cancel()

    async def _pass_on(self) -> None:
        reached = -math.inf
        while (report := await self._queue.get()) is not None:
            if report.done > reached:  # the protocol wants it to grow
                reached = report.done
                await self._context.session.report_progress(report.done, report.total, report.text or None)

"""Waiting in a notebook cell without going deaf.

`wait` blocks the calling code; `wait_async` and `attend` suspend the calling coroutine. All keep the cell's
widgets alive, run the work posted to the cell (see `jobs`), and end with KeyboardInterrupt when the user
interrupts. Outside a kernel they wait plainly. To run a coroutine from blocking code, see `reentry`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import contextvars
import time
import warnings
from collections.abc import Awaitable
from concurrent.futures import Future
from typing import Any, TypeVar

from tooldeck.notebook.kernel.adapter import current_task, missing_names, running_kernel
from tooldeck.notebook.kernel.jobs import Waiter, waiter
from tooldeck.notebook.kernel.pump import AsyncPump, Pump

__all__ = ["attend", "wait", "wait_async"]

T = TypeVar("T")

_SPIN = 0.004
"""Seconds to wait before opening a pump: most calls to a local tool are done by then."""

_TICK = 0.1
"""Seconds after which a blocking wait looks around by itself."""


def wait(future: Future[T], timeout: float | None = None) -> T:
    """Block until `future` is done and return its result; the widgets of the cell go on working meanwhile.

    `timeout` is in seconds; None waits for ever. Raises what the future raises, TimeoutError when the time
    is over, and KeyboardInterrupt when the user interrupts. The future is left as it is: cancelling it is
    the caller's choice. Waits on one thread end innermost first.
    """
    end = _deadline(timeout)
    # From here on this thread counts as waiting; work that comes during the spin is done right after it.
    with waiter(lambda: None):
        concurrent.futures.wait([future], timeout=_left(end, _SPIN))
        if not future.done() and not _pump_until(future, end):
            raise TimeoutError(f"nothing came within {timeout:g} s")
    return future.result()


async def wait_async(future: Future[T], timeout: float | None = None) -> T:
    """Do what `wait` does, for `await` in a cell or in a coroutine; see `attend` for interrupts."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()

    def finish() -> None:
        if not done.done():
            done.set_result(None)

    def on_done(_future: Future[T]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(finish)

    future.add_done_callback(on_done)
    # Not `asyncio.timeout`: with nest_asyncio 1.x applied on Python 3.14 it finds no task to cancel.
    timer = None if timeout is None else loop.call_later(timeout, finish)
    try:
        await attend(done)
    finally:
        if timer is not None:
            timer.cancel()
    if not future.done():
        raise TimeoutError(f"nothing came within {timeout:g} s")
    return future.result()


async def attend(awaitable: Awaitable[T]) -> T:
    """Await anything, with the widgets of the cell alive and interrupts heard at once.

    ipykernel alone hears no click while a cell awaits (before 7.4), or lets sliders go dead (7.4), and an
    interrupt does nothing until its loop wakes up for another reason. In the cell's own task an interrupt
    cancels `awaitable` and raises KeyboardInterrupt; in a task that the cell started, the kernel cancels the
    cell. A second interrupt also ends code of the cell that computes without ever suspending.
    """
    _say_if_deaf()
    return await _Attended(asyncio.get_running_loop()).run(awaitable)


class _Attended:
    """One await with the pump served beside it, from callbacks of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._task = current_task(loop)
        self._context = contextvars.copy_context()
        self._pump = AsyncPump(self._wake)
        self._work: Waiter | None = None
        self._looking = False
        self._cancels = 0

    async def run(self, awaitable: Awaitable[T]) -> T:
        with self._pump, waiter(self._wake) as work:
            self._work = work
            self._wake()
            try:
                return await awaitable
            except asyncio.CancelledError:
                if self._task is not None and self._cancels:
                    for _ in range(self._cancels):
                        self._task.uncancel()
                    raise KeyboardInterrupt from None
                raise
            finally:
                self._work = None

    def _wake(self, *_ignored: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._look)

    def _look(self) -> None:
        """Serve what has arrived, in the context of the cell."""
        if self._looking or self._work is None:
            return
        self._looking = True
        try:
            self._context.copy().run(self._serve, self._work)
        except KeyboardInterrupt:
            cell = self._pump.cell
            if cell is not None and cell is not self._task:
                cell.cancel()  # as the kernel's own handler would; raised in this task it would end the loop
            elif self._task is not None:
                self._cancels += 1
                self._task.cancel()
        finally:
            self._looking = False

    def _serve(self, work: Waiter) -> None:
        self._pump.serve()
        work.run(self._pump.foreign_code)


def _pump_until(future: Future[Any], end: float | None) -> bool:
    """Pump until the future is done (True) or the time is over (False)."""
    _say_if_deaf()
    with Pump() as pump, waiter(pump.wake) as work:
        future.add_done_callback(pump.wake)
        while not future.done():
            work.run(pump.foreign_code)
            left = _left(end, _TICK)
            if left <= 0:
                return False
            pump.step(left)
    return True


def _deadline(timeout: float | None) -> float | None:
    return None if timeout is None else time.monotonic() + timeout


def _left(end: float | None, longest: float) -> float:
    return longest if end is None else min(longest, end - time.monotonic())


_said = False


def _say_if_deaf() -> None:
    """Say once, inside a kernel, that widgets cannot be heard because a private name is gone."""
    global _said  # noqa: PLW0603 - once per process is the point
    if _said or running_kernel() is None or not (missing := missing_names()):
        return
    _said = True
    warnings.warn(
        f"a waiting cell cannot hear its widgets here: the installed packages lack {', '.join(missing)}. "
        "Answer at a text prompt, or install an ipykernel between 6.29 and 7.4.",
        RuntimeWarning,
        stacklevel=4,
    )

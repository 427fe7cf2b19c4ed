"""Waiting in a notebook cell without going deaf.

`wait` blocks the calling code, `wait_async` suspends the calling coroutine; both keep the cell's widgets
alive, run the work posted to the cell (see `jobs`), and end with KeyboardInterrupt when the user
interrupts. `pause` is a sleep with the same manners. Outside a kernel they wait plainly. To run a coroutine
from blocking code, see `reentry`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
import warnings
from concurrent.futures import Future
from typing import Any, TypeVar

from tooldeck.notebook.kernel.adapter import missing_names, running_kernel
from tooldeck.notebook.kernel.jobs import waiter
from tooldeck.notebook.kernel.pump import AsyncPump, Pump

__all__ = ["pause", "wait", "wait_async"]

T = TypeVar("T")

_SPIN = 0.004
"""Seconds to wait before opening a pump: most calls to a local tool are done by then."""

_TICK = 0.1
"""Seconds after which an awaiting cell looks around by itself."""


def wait(future: Future[T], timeout: float | None = None) -> T:
    """Block until `future` is done and return its result; the widgets of the cell go on working meanwhile.

    `timeout` is in seconds; None waits for ever. Raises what the future raises, TimeoutError when the time
    is over, and KeyboardInterrupt when the user interrupts. The future is left as it is: cancelling it is
    the caller's choice. Waits on one thread end innermost first.
    """
    end = _deadline(timeout)
    concurrent.futures.wait([future], timeout=_left(end, _SPIN))
    if not future.done() and not _pump_until(future, end):
        raise TimeoutError(f"nothing came within {timeout:g} s")
    return future.result()


def pause(seconds: float) -> None:
    """Sleep for `seconds`, with the widgets alive; KeyboardInterrupt ends it."""
    if seconds > 0:
        _pump_until(Future(), _deadline(seconds))


async def wait_async(future: Future[T], timeout: float | None = None) -> T:
    """Do what `wait` does, for `await` in a cell or in a coroutine.

    In the cell's own task an interrupt raises KeyboardInterrupt here. In a task that the cell started, the
    kernel cancels the cell, as it does for every awaiting cell, and this makes sure that it happens at
    once.
    """
    end = _deadline(timeout)
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()

    def wake(*_ignored: object) -> None:
        try:
            loop.call_soon_threadsafe(woken.set)
        except RuntimeError:  # the loop was closed: nobody is waiting any more
            return

    _say_if_deaf()
    with waiter(wake) as work, AsyncPump(wake) as pump:
        future.add_done_callback(wake)
        while not future.done():
            left = _left(end, _TICK)
            if left <= 0:
                raise TimeoutError(f"nothing came within {timeout:g} s")
            tick = loop.call_later(left, woken.set)
            try:
                await woken.wait()
            finally:
                tick.cancel()
            woken.clear()
            pump.serve()
            work.run(pump.foreign_code)
    return future.result()


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

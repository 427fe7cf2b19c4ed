"""Running a coroutine of the kernel's own loop from blocking code, on nest-asyncio2.

A cell that blocks sits inside the kernel's loop, so a coroutine whose client or task group belongs to that
loop can only run if the loop is entered once more. nest-asyncio2 makes that possible; it is applied when
first needed, to the one loop in question. Two things are added: a pump, because the nested loop does not
deliver widget messages by itself (ipykernel runs them in the context of the blocked cell, which
nest-asyncio2 has to put off), and interrupts.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import sys
import threading
from collections.abc import Coroutine, Generator, Sized
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, TypeVar

from tooldeck.core.errors import ExpectedError
from tooldeck.notebook.kernel.adapter import kernel_loop, running_kernel, shell_port
from tooldeck.notebook.kernel.jobs import Place, Waiter, is_waiting, post, waiter
from tooldeck.notebook.kernel.pump import Pump
from tooldeck.notebook.kernel.waiting import wait

__all__ = ["IN_JOB", "LoopNotReentrantError", "can_run_here", "no_scopes", "refusal", "run_here"]

T = TypeVar("T")

_TICK = 0.1
_START = 0.05
"""Seconds that a cell which started this thread gets until it waits."""

_GRACE = 2.0
"""Seconds that a cancelled coroutine gets for cleaning up."""

_UNPATCH = "remove its apply() and restart the kernel (nest_asyncio2 may be applied)."
_REMEDY = "Write `await` before the call instead."

IN_JOB: ContextVar[bool] = ContextVar("tooldeck_in_job", default=False)
"""Set in the context of work that a nested run waits for but did not start (see `executor`)."""


class LoopNotReentrantError(ExpectedError, RuntimeError):
    """The running loop cannot be entered again; `await` the call instead."""


def run_here(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` to its end from blocking code and return its result.

    In a cell it runs on the kernel's own loop, with the widgets alive; an interrupt cancels it and raises
    KeyboardInterrupt. From a worker thread it is handed to the waiting cell. Where no loop is running it is
    plain `asyncio.run`. Raises LoopNotReentrantError, and runs nothing, where the loop cannot be entered
    again.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return _without_loop(coroutine)
    if problem := refusal(loop):
        coroutine.close()
        raise LoopNotReentrantError(f"{problem} {_REMEDY}")
    _make_reentrant(loop)
    return _Nested(loop).run(coroutine)


def can_run_here() -> bool:
    """Whether `run_here` would run a coroutine on a loop that outlives it."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        main = kernel_loop()
        return main is not None and _unfit(main) is None and _waiting_main() is not None
    return refusal(loop) is None


def _without_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    main = _waiting_main()
    if main is None:
        return asyncio.run(coroutine)
    work: Future[T] = post(lambda: run_here(coroutine), place=main)
    try:
        while True:
            try:
                return wait(work, _TICK)
            except TimeoutError:
                # A cell that stopped waiting might block on this very thread from now on.
                if work.done() or (_waiting_main() is None and work.cancel()):
                    break
    except BaseException:
        if work.cancel():
            coroutine.close()
        raise
    return work.result() if work.done() and not work.cancelled() else asyncio.run(coroutine)


def _waiting_main() -> Place | None:
    """The kernel's main thread, when a cell waits on it and the caller is another thread."""
    main = threading.main_thread()
    if main.ident is None or running_kernel() is None or threading.current_thread() is main:
        return None
    place = Place(main.ident)
    return place if is_waiting(place, _START) else None


def refusal(loop: asyncio.AbstractEventLoop) -> str | None:
    """Why `loop` cannot be entered again, as a sentence, or None."""
    if threading.current_thread() is not threading.main_thread() and shell_port() is None:
        return f"the thread {threading.current_thread().name!r} runs a loop of its own."
    return _unfit(loop)


def _unfit(loop: asyncio.AbstractEventLoop) -> str | None:
    """The same as far as it does not depend on who asks."""
    if _nest_asyncio_1():
        return f"nest_asyncio 1.x is applied in this process, and it loses notebook messages: {_UNPATCH}"
    if not isinstance(loop, asyncio.BaseEventLoop):
        kind = f"{type(loop).__module__}.{type(loop).__qualname__}"
        return f"the running loop is a {kind}, which cannot be entered again."
    return None


def no_scopes() -> str | None:
    """Why no MCP session can live on a loop of user code, as a sentence, or None."""
    if _nest_asyncio_1() and sys.version_info >= (3, 14):
        return (
            "nest_asyncio 1.x is applied in this process, and since Python 3.14 no MCP session works on a "
            f"loop that it has patched: {_UNPATCH}"
        )
    return None


def _nest_asyncio_1() -> bool:
    return hasattr(asyncio, "_nest_patched") and not hasattr(asyncio, "_nest_asyncio2")


def _make_reentrant(loop: asyncio.AbstractEventLoop) -> None:
    if not hasattr(loop, "_nest_patched"):
        import nest_asyncio2

        nest_asyncio2.apply(loop)


@contextlib.contextmanager
def _rounds_kept(loop: asyncio.AbstractEventLoop) -> Generator[None]:
    """Leave as many callbacks ready as there were.

    The round of the loop that led here may be one of asyncio's own, begun before nest-asyncio2 was applied:
    it has counted its callbacks beforehand, and where the nested run took them, it would end the kernel with
    an IndexError.
    """
    ready: Sized = getattr(loop, "_ready", ())
    before = len(ready)
    try:
        yield
    finally:
        with contextlib.suppress(RuntimeError):  # a closed loop has no round to go on with
            for _ in range(before - len(ready)):
                loop.call_soon(_nothing)


def _nothing() -> None:
    """Stand in for a callback that has run already."""


class _Nested:
    """One nested run of a loop, with the pump served from inside."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._pump = Pump(wake=self._wake)
        # Between two steps the loop holds messages of the kernel in its hands; an exception there would
        # lose them.
        self._pump.interrupts.raise_now = self._in_user_code
        self._work: Waiter | None = None
        self._task: asyncio.Task[Any] | None = None
        self._context = contextvars.copy_context()
        self._looking = False
        self._interrupted = False

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run `coroutine` as a task of the loop, to its end."""
        with _rounds_kept(self._loop), self._pump, waiter(self._wake) as work:
            self._work = work
            task = self._task = self._loop.create_task(coroutine)
            tick = self._loop.create_task(self._tick())
            try:
                return self._loop.run_until_complete(task)
            except asyncio.CancelledError:
                if self._interrupted:
                    raise KeyboardInterrupt from None
                raise
            finally:
                self._end(task)
                self._work = None
                tick.cancel()

    def _wake(self, *_ignored: object) -> None:
        with contextlib.suppress(RuntimeError):  # a closed loop waits for nothing
            self._loop.call_soon_threadsafe(self._look)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            self._wake()

    def _look(self) -> None:
        """Serve what has arrived, in the context of the blocked cell."""
        if self._looking or self._work is None:
            return
        self._looking = True
        try:
            self._context.copy().run(self._serve, self._work)
        finally:
            self._looking = False

    def _serve(self, work: Waiter) -> None:
        try:
            self._pump.serve()
            work.run(self._pump.foreign_code)
        except KeyboardInterrupt:
            task = self._task
            if task is None or task.done() or self._interrupted:
                raise
            self._interrupted = True
            self._pump.interrupts.flagged = False
            task.cancel()

    def _in_user_code(self) -> bool:
        if self._pump.in_foreign_code:
            return True
        if self._task is not None and asyncio.current_task(self._loop) is self._task:
            return True
        # Work of a job gets time to end in good order; only what does not come back to the loop is still
        # running at a second interrupt.
        return self._pump.interrupts.flagged_before and IN_JOB.get()

    def _end(self, task: asyncio.Task[Any]) -> None:
        """Leave no task behind: a coroutine that was interrupted gets a moment to clean up."""
        if not task.done():
            task.cancel()
            with contextlib.suppress(RuntimeError):  # the loop is being stopped: the kernel is ending
                self._loop.run_until_complete(asyncio.wait([task], timeout=_GRACE))
        if task.done() and not task.cancelled():
            task.exception()  # seen: whatever it was is on its way already

"""The kernel's own loop as a place to run work: for MCP servers that are objects of this notebook.

Such a server's tools may use clients, locks and queues that a cell made by top-level `await`, and those work
on that loop only. A cell that blocks stops the loop; so waiting for a job from blocking code enters the loop
once more (see `reentry`), and the job, the server and whatever else lives there go on meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from tooldeck.core.errors import TooldeckError
from tooldeck.hosts.background import Job, background, start_job
from tooldeck.notebook.kernel.adapter import kernel_loop
from tooldeck.notebook.kernel.jobs import Place, is_waiting, post
from tooldeck.notebook.kernel.reentry import IN_JOB, LoopNotReentrantError, no_scopes, refusal, run_here
from tooldeck.notebook.kernel.waiting import wait

__all__ = ["KernelJob", "KernelLoop", "kernel_executor"]

T = TypeVar("T")

_TICK = 0.1
"""Seconds after which a waiting thread looks whether the loop is blocked by now."""

_REMEDY = "Use `await deck.mcp.aconnect(...)`, `await deck.acall(...)` and `await deck.mcp.aclose(...)` here."


class KernelJob(Job[T]):
    """The future of work on the kernel's loop. Waiting for it, by whatever method, keeps that loop going."""

    def __init__(self, owner: KernelLoop) -> None:
        super().__init__(owner)
        self.finished = _Finished(owner)
        self._home = owner

    def result(self, timeout: float | None = None) -> T:
        """The value, or the exception of the work, waiting at most `timeout` seconds (None: for ever)."""
        self._home.serve_until(self.add_done_callback, self.done, timeout)
        return super().result(0)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The exception of the work or None, waiting like `result`."""
        self._home.serve_until(self.add_done_callback, self.done, timeout)
        return super().exception(0)


class KernelLoop:
    """Runs work on the loop of this kernel; outside a kernel on the session thread. An `Executor`."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop, which stays known while the kernel is being taken down; None outside a kernel."""
        if self._loop is None or self._pid != os.getpid():
            self._loop, self._pid = kernel_loop(), os.getpid()
        return self._loop

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run ``await function(*args, **kwargs)`` on the loop, in a copy of the caller's context."""
        loop = self.loop
        if loop is None:
            return background().submit(function, *args, **kwargs)
        job: KernelJob[Any] = KernelJob(self)
        if problem := no_scopes():
            job.settle(None, LoopNotReentrantError(problem))
            return job
        context = contextvars.copy_context()
        context.run(IN_JOB.set, True)

        async def body() -> Any:
            value = function(*args, **kwargs)
            return await value if inspect.isawaitable(value) else value

        try:
            loop.call_soon_threadsafe(start_job, job, body, context)
        except RuntimeError:  # closed: the kernel is ending
            job.settle(None, asyncio.CancelledError())
        return job

    def call_soon(self, function: Callable[[], Any]) -> None:
        """Run a plain function on the loop, soon; nothing happens when the loop is gone."""
        loop = self.loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(function)

    def refuse_to_block(self) -> None:
        """Raise `LoopNotReentrantError` where blocking would stop the loop and it cannot be entered again."""
        if not _on_its_thread():
            return
        if problem := no_scopes():
            raise LoopNotReentrantError(problem)
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            return
        other = "a loop that is not the kernel's own runs on its thread."
        if problem := (refusal(running) if running is self.loop else other):
            raise LoopNotReentrantError(f"{problem} {_REMEDY}")

    def serve_until(
        self,
        subscribe: Callable[[Callable[..., object]], object],
        is_done: Callable[[], bool],
        timeout: float | None = None,
    ) -> None:
        """Block until something is done on the loop, which goes on meanwhile, or the time is over.

        `subscribe` is given a function to call, from any thread, when it is done.
        """
        if is_done():
            return
        self.refuse_to_block()
        if _on_its_thread():
            self._enter(subscribe, timeout)
        else:
            self._from_another_thread(subscribe, is_done, timeout)

    def _enter(self, subscribe: Callable[[Callable[..., object]], object], timeout: float | None) -> None:
        """On the loop's own thread: run the loop until it is done."""

        async def arrival() -> None:
            loop, done = asyncio.get_running_loop(), asyncio.Event()

            def tell(*_ignored: object) -> None:
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(done.set)

            subscribe(tell)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await done.wait()

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            loop = self.loop
            if loop is None or loop.is_closed():
                raise TooldeckError("the kernel's loop is closed; nothing more can run on it.") from None
            loop.run_until_complete(arrival())  # it has been stopped: the kernel is ending
        else:
            run_here(arrival())

    def _from_another_thread(
        self,
        subscribe: Callable[[Callable[..., object]], object],
        is_done: Callable[[], bool],
        timeout: float | None,
    ) -> None:
        """On another thread: just wait, but have the loop entered whenever a waiting cell blocks it."""
        end = None if timeout is None else time.monotonic() + timeout
        done: Future[None] = Future()

        def tell(*_ignored: object) -> None:
            if not done.done():
                done.set_result(None)

        subscribe(tell)
        main = Place(threading.main_thread().ident or 0)
        help_: Future[None] | None = None
        while not is_done():
            left = _TICK if end is None else min(_TICK, end - time.monotonic())
            if left <= 0:
                return
            if (help_ is None or help_.done()) and is_waiting(main):
                help_ = post(self._enter, done.add_done_callback, _TICK, place=main)
            with contextlib.suppress(TimeoutError):
                wait(done, left)


class _Finished(threading.Event):
    """An event whose wait keeps the loop going."""

    def __init__(self, owner: KernelLoop) -> None:
        super().__init__()
        self._owner = owner
        self._told: list[Callable[..., object]] = []
        self._guard = threading.Lock()

    def set(self) -> None:
        """Say that the work has really ended."""
        with self._guard:
            super().set()
            told, self._told = self._told, []
        for tell in told:
            tell()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the work has really ended; False after `timeout` seconds, and where no wait can be."""
        with contextlib.suppress(LoopNotReentrantError):
            self._owner.serve_until(self._subscribe, self.is_set, timeout)
        return self.is_set()

    def _subscribe(self, tell: Callable[..., object]) -> None:
        with self._guard:
            if not self.is_set():
                self._told.append(tell)
                return
        tell()


def _on_its_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


_shared = KernelLoop()


def kernel_executor() -> KernelLoop:
    """The loop of this kernel."""
    return _shared

"""One daemon thread with its own event loop, for work that must outlive a cell: MCP sessions and their calls.

The thread starts with the first job. Every job is a task of its own and sees the context variables of whoever
submitted it. Nothing here touches the loop of the caller, so it works the same in a script and in a kernel.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import inspect
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

from tooldeck.core.errors import TooldeckError
from tooldeck.hosts.own_loop import new_loop, wind_down

__all__ = ["BackgroundLoop", "Job", "JobOwner", "background", "start_job"]

T = TypeVar("T")


class JobOwner(Protocol):
    """The loop that a job runs on, as far as the job knows it."""

    def call_soon(self, function: Callable[[], Any]) -> None:
        """Run a plain function on the loop, soon; nothing happens when the loop is gone."""
        ...

    def refuse_to_block(self) -> None:
        """Raise `TooldeckError` where waiting for work of this loop would block the loop itself."""
        ...


class Job(Future[T]):
    """The future of work on a loop of ours. Cancelling it cancels the work.

    A cancelled future is done at once, the work a little later: `finished` tells when it has really ended.
    """

    def __init__(self, owner: JobOwner) -> None:
        super().__init__()
        self.finished = threading.Event()
        """Set when the task has ended, whichever way, also after a cancellation."""
        self._owner = owner
        self._task: asyncio.Task[Any] | None = None

    def cancel(self) -> bool:
        """Cancel the work; False when it is too late. `finished` is set once the work has given up."""
        if not super().cancel():
            return False
        self._owner.call_soon(self._cancel_task)
        return True

    def result(self, timeout: float | None = None) -> T:
        """The value, or the exception of the work, waiting at most `timeout` seconds (None: for ever).

        Raises `TooldeckError` when called on the background thread itself, which would wait for itself.
        """
        if not self.done():
            self._owner.refuse_to_block()
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The exception of the work or None, waiting like `result`."""
        if not self.done():
            self._owner.refuse_to_block()
        return super().exception(timeout)

    def belongs_to(self, task: asyncio.Task[Any]) -> None:
        """Note the task that does the work (used by the loop)."""
        self._task = task

    def _cancel_task(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def settle(self, value: Any, error: BaseException | None) -> None:
        """Publish the end of the work (used by the loop), unless somebody cancelled the future first."""
        try:
            if isinstance(error, asyncio.CancelledError):
                super().cancel()
            if self.set_running_or_notify_cancel():
                if error is None:
                    self.set_result(value)
                else:
                    self.set_exception(error)
        finally:
            self.finished.set()


class BackgroundLoop:
    """A thread with an event loop, started when first needed and again after a fork. An `Executor`."""

    def __init__(self, name: str = "tooldeck-background") -> None:
        self.name = name
        self._lock = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0
        _loops.add(self)

    @property
    def running(self) -> bool:
        """Whether the thread is there and takes jobs."""
        return self._thread is not None and self._thread.is_alive() and self._pid == os.getpid()

    def owns_current_thread(self) -> bool:
        """Whether the calling code runs on this loop's thread, where it must never wait."""
        return self._thread is not None and self._thread.ident == threading.get_ident()

    def refuse_to_block(self) -> None:
        """Raise `TooldeckError` on this loop's own thread; call it before a blocking wait."""
        if self.owns_current_thread():
            raise TooldeckError(
                f"A blocking call on the thread {self.name!r} would wait for itself; await it there instead."
            )

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Job[Any]:
        """Run ``await function(*args, **kwargs)`` on the loop, in a copy of the caller's context."""
        job: Job[Any] = Job(self)
        context = contextvars.copy_context()

        async def body() -> Any:
            value = function(*args, **kwargs)
            return await value if inspect.isawaitable(value) else value

        with self._lock:
            # Under the lock, so that a `stop` at the same moment sees the job and ends it.
            self._ensure_running().call_soon_threadsafe(start_job, job, body, context)
        return job

    def call_soon(self, function: Callable[[], Any]) -> None:
        """Run a plain function on the loop, soon; nothing happens when the loop is gone."""
        loop = self._loop
        if loop is not None and self._pid == os.getpid() and not loop.is_closed():
            loop.call_soon_threadsafe(function)

    def _ensure_running(self) -> asyncio.AbstractEventLoop:
        if self._loop is not None and self.running:
            return self._loop
        if _leaving.is_set():
            raise TooldeckError("The interpreter is shutting down; background work is no longer possible.")
        if self._loop is not None and self._pid != os.getpid():
            _inherited.append(self._loop)
        # The loop keeps the context that it was made in, and would keep the deck of the first call with it.
        loop = contextvars.Context().run(new_loop)
        self._loop, self._pid = loop, os.getpid()
        self._thread = threading.Thread(target=_serve, args=(loop,), name=self.name, daemon=True)
        self._thread.start()
        return loop

    def forget_parent(self) -> None:
        """In a forked child: a lock that another thread of the parent held would never be freed."""
        self._lock = threading.RLock()

    def stop(self, timeout: float = 8.0) -> bool:
        """Cancel every job, wait at most `timeout` seconds for them, end the thread; True when all ended.

        A later `submit` starts a new thread.
        """
        self.refuse_to_block()
        with self._lock:
            loop, thread = self._loop, self._thread
            if loop is None or thread is None or self._pid != os.getpid():
                return True
            self._loop = self._thread = None
        if not thread.is_alive() or loop.is_closed():
            return True
        all_ended: list[bool] = []
        loop.call_soon_threadsafe(lambda: loop.create_task(_end(loop, timeout, all_ended.append)))
        thread.join(timeout + 1.0)
        return all_ended == [True]


_leaving = threading.Event()
_loops: weakref.WeakSet[BackgroundLoop] = weakref.WeakSet()
_inherited: list[asyncio.AbstractEventLoop] = []
# Loops of a parent process: collecting them would close the selector that the parent still uses.


def start_job(
    job: Job[Any], body: Callable[[], Coroutine[Any, Any, Any]], context: contextvars.Context
) -> None:
    """On the loop: make the task, unless the job was cancelled meanwhile."""
    if job.cancelled():
        job.settle(None, asyncio.CancelledError())
        return

    async def contained() -> tuple[Any, BaseException | None]:
        # Raised out of a task, a SystemExit would end the loop with every session on it.
        try:
            return await body(), None
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the job
            return None, error

    def ended(task: asyncio.Task[tuple[Any, BaseException | None]]) -> None:
        job.settle(*((None, asyncio.CancelledError()) if task.cancelled() else task.result()))

    task = asyncio.get_running_loop().create_task(contained(), context=context)
    task.add_done_callback(ended)
    job.belongs_to(task)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """The thread: run the loop until it is stopped."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        try:
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            loop.close()


async def _end(loop: asyncio.AbstractEventLoop, timeout: float, tell: Callable[[bool], None]) -> None:
    try:
        tell(await wind_down(timeout))
    finally:
        loop.stop()


_shared = BackgroundLoop()


def background() -> BackgroundLoop:
    """The loop that all decks of this process share."""
    return _shared


def _at_exit() -> None:
    _leaving.set()
    for loop in list(_loops):
        loop.stop()


def _after_fork() -> None:
    for loop in list(_loops):
        loop.forget_parent()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

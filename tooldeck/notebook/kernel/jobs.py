"""Work for the thread of a waiting cell.

An elicitation or an approval may come up on a background thread while a cell waits. Whatever touches
widgets or displays has to run on the thread that runs the cell, so that it lands in that cell: `post` takes
it there. A caller that knows which cell it works for passes that cell's `Place`, made by `here` on the
cell's own thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from tooldeck.notebook.kernel.adapter import call_when_idle

__all__ = ["Place", "Waiter", "here", "is_waiting", "post", "waiter"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """Where posted work shall run: in the waits of one thread."""

    thread: int
    """Its identifier, from `threading.get_ident()`."""


def here() -> Place:
    """The place of the calling thread; make it before handing work to a background thread."""
    return Place(threading.get_ident())


def post(function: Callable[..., T], *args: Any, place: Place | None = None) -> Future[T]:
    """Have `function(*args)` called on the thread of a waiting cell; the future gets what comes of it.

    It runs in the innermost wait of `place`, or without a place in the innermost wait of this process, and
    otherwise as soon as somebody waits there. An idle notebook kernel runs it too, unless the place is
    another thread. Cancelling the future takes the work back if it has not begun.
    """
    future: Future[T] = Future()
    _desk.add(_Job(future, function, args, place.thread if place is not None else None))
    return future


def is_waiting(place: Place, within: float = 0.0) -> bool:
    """Whether somebody waits at `place`, now or within so many seconds."""
    return _desk.is_waiting(place.thread, within)


@dataclass(slots=True)
class _Job:
    future: Future[Any]
    function: Callable[..., Any]
    args: tuple[Any, ...]
    thread: int | None

    def run(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = self.function(*self.args)
        except Exception as error:  # noqa: BLE001 - it belongs to whoever reads the future
            self.future.set_exception(error)
        except BaseException as error:
            self.future.set_exception(error)
            raise
        else:
            self.future.set_result(result)


class Waiter:
    """One wait that is going on; `run` does the work posted to it."""

    def __init__(self, wake: Callable[[], object]) -> None:
        self.thread = threading.get_ident()
        self.wake = wake

    def run(self, around: Callable[[], AbstractContextManager[object]]) -> None:
        """Do all that is posted for this thread, each job inside `around()`."""
        while (job := _desk.take(self.thread)) is not None:
            with around():
                job.run()


@contextmanager
def waiter(wake: Callable[[], object]) -> Generator[Waiter]:
    """Be the innermost wait of this thread; `wake` is called, from any thread, when work comes."""
    this = Waiter(wake)
    _desk.open(this)
    try:
        yield this
    finally:
        _desk.close(this)


class _Desk:
    """All jobs and all waits of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened = threading.Condition(self._lock)
        self._jobs: deque[_Job] = deque()
        self._waiters: list[Waiter] = []

    def open(self, waiter: Waiter) -> None:
        with self._lock:
            self._waiters.append(waiter)
            self._opened.notify_all()

    def close(self, waiter: Waiter) -> None:
        with self._lock:
            self._waiters.remove(waiter)
            left = bool(self._jobs)
        if left:
            self._wake_somebody(waiter.thread)

    def add(self, job: _Job) -> None:
        with self._lock:
            if job.thread is None and self._waiters:
                job.thread = self._waiters[-1].thread
            self._jobs.append(job)
        self._wake_somebody(job.thread)

    def is_waiting(self, thread: int, within: float) -> bool:
        with self._lock:
            return self._opened.wait_for(
                lambda: any(waiter.thread == thread for waiter in self._waiters), timeout=within
            )

    def take(self, thread: int) -> _Job | None:
        """The oldest job that `thread` may do."""
        with self._lock:
            for job in self._jobs:
                if job.thread in (None, thread):
                    self._jobs.remove(job)
                    return job
        return None

    def _wake_somebody(self, thread: int | None) -> None:
        """Wake the innermost wait of `thread`; without one, have the kernel look when it is idle."""
        with self._lock:
            wakers = [waiter.wake for waiter in self._waiters if thread in (None, waiter.thread)]
        if wakers:
            wakers[-1]()
        else:
            call_when_idle(self._run_idle)

    def _run_idle(self) -> None:
        if self.is_waiting(threading.get_ident(), 0.0):
            self._wake_somebody(threading.get_ident())  # a wait that began meanwhile knows about interrupts
            return
        while (job := self.take(threading.get_ident())) is not None:
            job.run()


_desk = _Desk()

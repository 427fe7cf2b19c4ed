"""The pump: lets a cell that waits still hear what its widgets say.

While at least one `Pump` is open on a shell, a `Tap` holds back the messages that may be served
(`adapter.SERVED`) and lets all others take their usual way, where the kernel queues them in order behind
the running cell. An open pump serves what the tap holds. Pumps nest: a widget callback may wait again, and
then the inner pump serves. The last pump to close gives what is left back to the kernel, in order.

How an interrupt ends a wait is the matter of `interrupts`.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import threading
from collections import deque
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, Self

from tooldeck.notebook.kernel.adapter import (
    Message,
    ShellPort,
    current_task,
    running_cell,
    running_kernel,
    shell_port,
)
from tooldeck.notebook.kernel.interrupts import Interrupts, Waker

__all__ = ["AsyncPump", "Pump"]

_LONGEST_POLL = 0.1
"""Seconds until a wait looks around by itself, to notice a shutdown, which comes on another thread."""


class Tap:
    """Holds back the messages of one shell that may be served, for as long as a pump is open on it."""

    _open: dict[int, Tap] = {}  # noqa: RUF012 - one tap per shell of this process, by the key of its port

    def __init__(self, port: ShellPort) -> None:
        self.port = port
        self.held: deque[Message] = deque()
        self._users: list[tuple[Callable[[], object], Callable[[], bool]]] = []

    @classmethod
    def of(cls, port: ShellPort) -> Tap:
        """The tap of a shell; the same object for as long as somebody uses it."""
        return cls._open.setdefault(port.key, cls(port))

    def join(self, wake: Callable[[], object], active: Callable[[], bool]) -> tuple[Any, Any]:
        """Begin to use the tap: call `wake` when something is held, as long as `active` says so."""
        user = (wake, active)
        self._users.append(user)
        if len(self._users) == 1:
            self.port.divert(self._accept)
        return user

    def leave(self, user: tuple[Any, Any], pump: _Guarded) -> None:
        """Stop using the tap."""
        try:
            # What came in the last moment: given back, it would lie behind the cell, whose next wait would
            # not hear it.
            if len(self._users) == 1 and user[1]():
                self._handle(pump)
        finally:
            self._users.remove(user)
            if self._users:
                if self.held:
                    self._users[-1][0]()
            else:
                del self._open[self.port.key]
                self.port.restore()
                self.give_back()

    def _handle(self, pump: _Guarded) -> None:
        while self.held and not pump.interrupts.flagged:
            self.port.serve(self.held.popleft(), pump.foreign_code())

    def serve(self, pump: _Guarded) -> None:
        """Handle what is held, in order, until `pump` is interrupted or the kernel is ending."""
        self._handle(pump)
        if self.port.shutting_down:
            raise KeyboardInterrupt("the kernel is shutting down")

    def give_back(self) -> None:
        """Hand everything held to the kernel, in order."""
        while self.held:
            self.port.give_back(self.held.popleft().frames)

    def _accept(self, message: Message) -> bool:
        wakers = [wake for wake, active in self._users if active()]
        if not wakers:
            return False
        self.held.append(message)
        wakers[-1]()
        return True


class _Guarded:
    """What both pumps know about interrupts."""

    def __init__(self, wake: Callable[[], object]) -> None:
        self.interrupts = Interrupts(wake)
        self.interrupts.raise_now = lambda: self.in_foreign_code

    @property
    def in_foreign_code(self) -> bool:
        """Whether code of the user runs right now, called by this pump or by another of the thread."""
        return _calling.foreign

    @contextlib.contextmanager
    def foreign_code(self) -> Generator[None]:
        """Around code of the user: an interrupt may be raised right inside it."""
        before, _calling.foreign = _calling.foreign, True
        try:
            yield
        finally:
            _calling.foreign = before


class _Calling(threading.local):
    """Whose code this thread runs at present.

    Of the thread, not of a pump: awaits of one cell nest, and the handler of the innermost pump gets the
    interrupt while an outer one may be calling.
    """

    foreign = False


_calling = _Calling()


class Pump(_Guarded):
    """Serves the widgets of a blocked cell between `with` and the end of its block.

    On a thread that runs no cells, and outside a kernel, it only sleeps and wakes. `step` waits; `serve`
    handles what has already arrived. Both raise KeyboardInterrupt when the user interrupted or the kernel
    is ending.

    Whoever waits in another way than by `step` says with `wake` how to be woken; it must bear being called
    from any thread and from a signal handler.
    """

    def __init__(self, *, wake: Callable[[], object] | None = None) -> None:
        self._waker = Waker()
        self.wake: Callable[..., object] = wake or self._waker
        super().__init__(self.wake)
        self._poller: Any = None
        self._called_from = False
        port = shell_port()
        self._tap = Tap.of(port) if port is not None else None
        self._use: Any = None

    def __enter__(self) -> Self:
        self._called_from, _calling.foreign = _calling.foreign, False
        # Outside a kernel SIGINT stays with whoever has it: there, the sleep itself can be interrupted.
        if running_kernel() is not None:
            self.interrupts.install()
        try:
            if self._tap is not None:
                self._use = self._tap.join(self.wake, lambda: True)
                self._poller = _poller(self._tap.port, self._waker)
        except BaseException:
            self.interrupts.remove()
            _calling.foreign = self._called_from
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._tap is not None:
                self._tap.leave(self._use, self)
        finally:
            self._waker.close()
            self.interrupts.remove()
            _calling.foreign = self._called_from
        if error is None:
            self.interrupts.check()

    def step(self, timeout: float) -> None:
        """Wait up to `timeout` seconds (at most 0.1) for a message or a wake-up, then serve what is there."""
        timeout = max(0.0, min(timeout, _LONGEST_POLL))
        if self._poller is not None:
            self._poller.poll(timeout * 1000)
        else:
            select.select([self._waker], [], [], timeout)
        self._waker.clear()
        self.serve()

    def serve(self) -> None:
        """Handle everything that has arrived, in order."""
        if self._tap is not None:
            self._tap.port.read()
            self._tap.serve(self)
        self.interrupts.check()


class AsyncPump(_Guarded):
    """The same for a top-level-await cell, whose loop goes on running and reads the messages itself.

    `wake` is called when there is something to `serve`; it must bear calls from threads and signals.

    Outside a running cell it does nothing. SIGINT becomes KeyboardInterrupt only in the task of the cell
    itself: raised in any other task it would leave the loop, and the kernel with it. There the kernel's own
    handler cancels the cell, and what is added is the wake-up that a sleeping loop needs to notice, and the
    end of a callback that keeps the loop.
    """

    def __init__(self, wake: Callable[[], object]) -> None:
        super().__init__(wake)
        self._wake = wake
        # Only code that does not come back to the loop is still running at a second interrupt.
        self.interrupts.raise_now = lambda: self.in_foreign_code or self._stuck()
        self.cell: asyncio.Task[Any] | None = None
        """The running cell, while the pump is open in one."""
        self._tap: Tap | None = None
        self._use: Any = None

    def __enter__(self) -> Self:
        port = shell_port()
        cell = running_cell(asyncio.get_running_loop()) if port is not None else None
        if port is not None and cell is not None:
            self.cell = cell
            self.interrupts.forward = current_task() is not cell
            self.interrupts.install()
            self._tap = Tap.of(port)
            self._use = self._tap.join(self._wake, self._active)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        self.interrupts.remove()
        if error is None:
            self.interrupts.check()

    def serve(self) -> None:
        """Handle everything that has arrived, in order, in the context of the calling task."""
        if self._tap is not None:
            if self._active():
                self._tap.serve(self)
            else:
                self._close()
        self.interrupts.check()

    def _stuck(self) -> bool:
        cell = self.cell
        return self.interrupts.flagged_before and cell is not None and current_task() is cell

    def _active(self) -> bool:
        """Whether the cell still runs; a task that outlives it must not take what the idle kernel serves."""
        return self.cell is not None and not self.cell.done()

    def _close(self) -> None:
        tap, self._tap = self._tap, None
        if tap is not None:
            tap.leave(self._use, self)


def _poller(port: ShellPort, wake: Waker) -> Any:
    import zmq

    poller = zmq.Poller()
    poller.register(port.socket, zmq.POLLIN)
    poller.register(wake.fileno(), zmq.POLLIN)
    return poller

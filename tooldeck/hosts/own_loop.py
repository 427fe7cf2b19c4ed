"""An event loop for a thread of ours: it works whatever was done to asyncio, and ends in good order."""

from __future__ import annotations

import asyncio
import asyncio.tasks
import sys
import weakref
from importlib import import_module
from typing import Any

__all__ = ["new_loop", "wind_down"]

# nest_asyncio.apply() replaces asyncio.Task for the whole process with the pure Python class, which anyio's
# scopes and asyncio.timeout do not understand on Python 3.14. Our loop keeps the compiled one.
_CompiledTask: type[asyncio.Task[Any]] = getattr(sys.modules.get("_asyncio"), "Task", asyncio.tasks.Task)


def new_loop() -> asyncio.AbstractEventLoop:
    """A loop that can start processes and has its own tasks, whatever loop or policy the caller uses."""
    if sys.platform == "win32":
        loop: asyncio.AbstractEventLoop = asyncio.ProactorEventLoop()
    elif sys.version_info < (3, 14):
        loop = _WatchingLoop()
    else:
        loop = asyncio.SelectorEventLoop()
    loop.set_task_factory(_our_task)
    return loop


async def wind_down(timeout: float) -> bool:
    """Cancel all other tasks of the running loop and wait at most `timeout` seconds; True when all ended.

    A task that a living task has made is left to its maker, whose cleaning up may depend on it: cancelling
    the reader of a pipe would keep the writer from saying goodbye.
    """
    loop = asyncio.get_running_loop()
    this = asyncio.current_task()
    end = loop.time() + timeout
    told: set[asyncio.Task[Any]] = set()
    while (left := asyncio.all_tasks() - {this}) and loop.time() < end:
        for task in left - told:
            if _maker(task) is None:
                task.cancel()
                told.add(task)
        await asyncio.wait(left, timeout=end - loop.time(), return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        # Given up knowingly: asyncio need not complain when it is collected with the loop.
        setattr(task, "_log_destroy_pending", False)  # noqa: B010 - private to asyncio
    return not left


_makers: weakref.WeakKeyDictionary[asyncio.Task[Any], weakref.ref[asyncio.Task[Any]]] = (
    weakref.WeakKeyDictionary()
)


def _our_task(loop: asyncio.AbstractEventLoop, coro: Any, **kwargs: Any) -> asyncio.Task[Any]:
    task = _CompiledTask(coro, loop=loop, **kwargs)
    maker = asyncio.current_task(loop)
    if maker is not None:
        _makers[task] = weakref.ref(maker)
    return task


def _maker(task: asyncio.Task[Any]) -> asyncio.Task[Any] | None:
    """The task that made this one, as long as it lives."""
    reference = _makers.get(task)
    maker = reference() if reference is not None else None
    return None if maker is None or maker.done() else maker


if sys.platform != "win32" and sys.version_info < (3, 14):

    class _WatchingLoop(asyncio.SelectorEventLoop):
        """Notices the end of its own children, as every loop does since Python 3.14.

        Before that asyncio asks the policy of the process, and the policies that come with other loops, such
        as uvloop's, answer with NotImplementedError.
        """

        def __init__(self) -> None:
            super().__init__()
            self._watcher = asyncio.ThreadedChildWatcher()

        async def _make_subprocess_transport(
            self,
            protocol: asyncio.SubprocessProtocol,
            args: Any,
            shell: bool,  # noqa: FBT001 - the signature is asyncio's
            *pipes: Any,
            **kwargs: Any,
        ) -> asyncio.SubprocessTransport:
            waiter = self.create_future()
            make: Any = import_module("asyncio.unix_events")._UnixSubprocessTransport  # noqa: SLF001
            transport = make(self, protocol, args, shell, *pipes, waiter=waiter, **kwargs)
            told: Any = getattr(self, "_child_watcher_callback")  # noqa: B009 - private to asyncio
            self._watcher.add_child_handler(transport.get_pid(), told, transport)
            try:
                await waiter
            except BaseException:
                transport.close()
                await transport._wait()  # noqa: SLF001
                raise
            return transport

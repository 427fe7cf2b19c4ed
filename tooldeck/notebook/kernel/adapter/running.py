"""The running kernel: its loops, its cell, and the shell that belongs to the calling thread."""

from __future__ import annotations

import asyncio
import asyncio.tasks
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from tooldeck.notebook.kernel.adapter.names import CELL_COROUTINE, missing_names
from tooldeck.notebook.kernel.adapter.port import ShellPort

__all__ = [
    "allows_stdin",
    "call_when_idle",
    "current_task",
    "kernel_loop",
    "running_cell",
    "running_kernel",
    "shell_port",
]


def running_kernel() -> Any | None:
    """The ipykernel kernel of this process, or None; imports nothing that is not loaded already."""
    ipython = sys.modules.get("IPython")
    kernelbase = sys.modules.get("ipykernel.kernelbase")
    if ipython is None or kernelbase is None:
        return None
    kernel: Any = getattr(ipython.get_ipython(), "kernel", None)
    if kernel is None or not isinstance(kernel, kernelbase.Kernel):
        return None
    session = kernel.session
    # A forked child inherits the object, but the sockets belong to its parent.
    return kernel if session is not None and session.pid == os.getpid() else None


def allows_stdin(kernel: Any) -> bool:
    """Whether the front end that sent the running cell offers a text prompt.

    The flag is set by each execute request; it keeps its value inside widget callbacks, whose own message
    has none.
    """
    return bool(getattr(kernel, "_allow_stdin", False))


def call_when_idle(function: Callable[[], object]) -> None:
    """Have the kernel's own loop call `function` when no cell blocks it; does nothing outside a kernel."""
    kernel = running_kernel()
    loop = getattr(kernel, "io_loop", None)
    if loop is not None:
        loop.add_callback(function)


def kernel_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that runs this kernel's cells on the main thread, or None outside a kernel."""
    kernel = running_kernel()
    loop: Any = getattr(getattr(kernel, "io_loop", None), "asyncio_loop", None)
    return loop


# nest_asyncio 1.x makes all new tasks ones of the pure Python class, and since Python 3.14 asyncio's own
# functions know nothing of those; the pure Python functions beside them do. Older Pythons keep one list.
_python_current_task: Callable[..., asyncio.Task[Any] | None] = getattr(
    asyncio.tasks, "_py_current_task", asyncio.current_task
)
_python_all_tasks: Callable[..., set[asyncio.Task[Any]]] = getattr(
    asyncio.tasks, "_py_all_tasks", asyncio.all_tasks
)


def current_task(loop: asyncio.AbstractEventLoop | None = None) -> asyncio.Task[Any] | None:
    """The task that runs now on `loop` (None: the running loop), whoever patched asyncio."""
    return asyncio.current_task(loop) or _python_current_task(loop)


def running_cell(loop: asyncio.AbstractEventLoop) -> asyncio.Task[Any] | None:
    """The task of the top-level-await cell that runs on `loop`, or None when there is none."""
    for task in asyncio.all_tasks(loop) | _python_all_tasks(loop):
        if getattr(task.get_coro(), "__name__", "") == CELL_COROUTINE and not task.done():
            return task
    return None


def shell_port() -> ShellPort | None:
    """The shell whose messages arrive on the calling thread; None on other threads and outside a kernel."""
    kernel = running_kernel()
    if kernel is None or missing_names():
        return None
    found = _streams(kernel)
    if found is None:
        return None
    stream, reply = found
    if getattr(stream, "_recv_callback", None) is None:
        return None
    return ShellPort(kernel, stream, reply)


def _streams(kernel: Any) -> tuple[Any, Any] | None:
    channel_thread = getattr(kernel, "shell_channel_thread", None)
    if channel_thread is None:
        if threading.current_thread() is not threading.main_thread():
            return None
        return kernel.shell_stream, kernel.shell_stream
    manager = channel_thread.manager
    try:
        subshell = manager.subshell_id_from_thread_id(threading.get_ident())
    except RuntimeError:
        return None
    stream = manager.get_shell_channel_to_subshell_pair(subshell).to_stream
    return stream, manager.get_subshell_to_shell_channel_socket(subshell)

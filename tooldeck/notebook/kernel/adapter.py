# ruff: noqa: SLF001 - reaching for private names is what this module is for
"""The one place that touches private names of ipykernel, IPython and pyzmq.

Everything else in this package speaks to a `ShellPort`. `self_test` checks that each private name still
exists; when one is gone, nobody gets a port and waiting degrades to plain waiting (see `waiting`).

Two shapes of kernel are covered. ipykernel 6 reads the shell socket itself, on the main thread. ipykernel 7
reads it on a thread of its own and hands each message to the main shell or to a subshell through a pair of
sockets.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal

__all__ = [
    "COMM_MESSAGES",
    "SERVED",
    "Message",
    "ShellPort",
    "allows_stdin",
    "call_when_idle",
    "kernel_loop",
    "missing_names",
    "running_cell",
    "running_kernel",
    "self_test",
    "shell_port",
]

COMM_MESSAGES: Final = frozenset({"comm_open", "comm_msg", "comm_close"})
"""What a click, a slider or a closing widget sends."""

SERVED: Final = COMM_MESSAGES | {"kernel_info_request", "comm_info_request"}
"""What may be answered while a cell is blocked. A reloaded page restores its widgets by the two requests."""

Frames = list[Any]

_CELL_COROUTINE: Final = "run_cell_async"

_Needed = tuple[str, str, tuple[str, ...]]

_NEEDED: Final[tuple[_Needed, ...]] = (
    (
        "zmq.eventloop.zmqstream",
        "ZMQStream",
        ("_recv_callback", "_recv_copy", "_run_callback", "_handle_recv", "flush", "on_recv"),
    ),
    (
        "ipykernel.kernelbase",
        "Kernel",
        ("_publish_status", "_allow_stdin", "get_parent", "session", "shell_stream", "kernel_info_request"),
    ),
    ("ipykernel.ipkernel", "IPythonKernel", ("comm_info_request", "shell")),
    ("jupyter_client.session", "Session", ("feed_identities", "deserialize", "pid")),
    ("IPython.core.interactiveshell", "InteractiveShell", (_CELL_COROUTINE, "exit_now")),
)

_NEEDED_BY_SUBSHELLS: Final[tuple[_Needed, ...]] = (
    (
        "ipykernel.subshell_manager",
        "SubshellManager",
        (
            "subshell_id_from_thread_id",
            "get_shell_channel_to_subshell_pair",
            "get_subshell_to_shell_channel_socket",
        ),
    ),
    ("ipykernel.socket_pair", "SocketPair", ("to_stream", "on_recv")),
    ("ipykernel.shellchannel", "ShellChannelThread", ("manager",)),
)


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the shell channel that may be served while a cell is blocked."""

    kind: str
    """Its type, one of `SERVED`."""
    frames: Frames
    """As received, so that it can be given back."""


def self_test() -> list[str]:
    """Name what the installed packages lack of the names used here; an empty list means that all is there."""
    needed: list[_Needed] = [*_NEEDED]
    try:
        kernelbase = import_module("ipykernel.kernelbase")
    except ImportError:
        return ["ipykernel (not installed)"]
    if hasattr(kernelbase.Kernel, "shell_channel_thread"):
        needed += _NEEDED_BY_SUBSHELLS
    missing: list[str] = []
    for module_name, class_name, names in needed:
        try:
            owner = getattr(import_module(module_name), class_name)
        except (ImportError, AttributeError):
            missing.append(f"{module_name}.{class_name}")
            continue
        missing += [f"{module_name}.{class_name}.{name}" for name in names if not _has(owner, name)]
    return missing


def _has(owner: Any, name: str) -> bool:
    """Whether a class has `name`, as an attribute or as one that its `__init__` sets."""
    return hasattr(owner, name) or name in owner.__init__.__code__.co_names


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


def running_cell(loop: asyncio.AbstractEventLoop) -> asyncio.Task[Any] | None:
    """The task of the top-level-await cell that runs on `loop`, or None when there is none."""
    for task in asyncio.all_tasks(loop):
        if getattr(task.get_coro(), "__name__", "") == _CELL_COROUTINE and not task.done():
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


_checked: list[str] | None = None


def missing_names() -> list[str]:
    """The result of `self_test`, taken once."""
    global _checked  # noqa: PLW0603 - the installed packages do not change while the process lives
    if _checked is None:
        _checked = self_test()
    return _checked


class ShellPort:
    """One shell (the main one or a subshell) seen from the thread that runs its cells."""

    def __init__(self, kernel: Any, stream: Any, reply: Any) -> None:
        self._kernel = kernel
        self._stream = stream
        self._reply = reply
        self._callback: Callable[[Frames], Any] | None = None
        self._copy = False
        self._receive: Callable[[Frames], None] | None = None

    @property
    def key(self) -> int:
        """The same for two ports of one shell."""
        return id(self._stream)

    @property
    def socket(self) -> Any:
        """What to poll for input. Never receive from it: `read` keeps the stream its only reader."""
        return self._stream.socket

    @property
    def shutting_down(self) -> bool:
        """Whether the kernel was asked to end."""
        return bool(getattr(self._kernel.shell, "exit_now", False))

    def divert(self, accept: Callable[[Message], bool]) -> None:
        """Offer each message that could be served to `accept` first; what it refuses goes its usual way."""
        self._callback, self._copy = self._stream._recv_callback, self._stream._recv_copy

        def receive(frames: Frames) -> None:
            kind = self._kind(frames)
            if kind not in SERVED or not accept(Message(kind, frames)):
                self.give_back(frames)

        self._receive = receive
        self._stream.on_recv(receive, copy=False)

    def restore(self) -> None:
        """Undo `divert`, unless somebody else has put a callback on top of ours meanwhile."""
        if self._callback is not None and self._stream._recv_callback is self._receive:
            self._stream.on_recv(self._callback, copy=self._copy)

    def give_back(self, frames: Frames) -> None:
        """Hand a message to the kernel as if it had just arrived."""
        if self._callback is None:
            return
        result = self._callback(frames)
        if asyncio.iscoroutine(result) or isinstance(result, asyncio.Future):
            # Named, because user code may be running another loop on this thread right now.
            task = asyncio.ensure_future(result, loop=self._stream.io_loop.asyncio_loop)
            _given_back.add(task)
            task.add_done_callback(_given_back.discard)

    def read(self) -> None:
        """Take in all that has arrived. Always through the stream: its descriptor is edge-triggered."""
        self._stream.flush(1)  # zmq.POLLIN

    def serve(self, message: Message, around_handler: AbstractContextManager[object]) -> None:
        """Handle a message now, on this thread.

        The blocked cell stays the parent of whatever is printed or shown. The front end gets busy and idle
        for the message itself (ipywidgets sends nothing more until the idle of its last message), and is
        then told again that the cell is busy. Only the handler runs inside `around_handler`.
        """
        session = self._kernel.session
        try:
            idents, rest = session.feed_identities(message.frames, copy=False)
            content = session.deserialize(rest, content=True, copy=False)
        except Exception:
            self._kernel.log.exception("Invalid message on the shell channel")
            return
        cell = self._kernel.get_parent("shell")
        self._status("busy", content)
        try:
            with around_handler:
                self._handle(message.kind, idents, content)
        finally:
            self._settle()
            self._status("idle", content)
            if cell:
                self._status("busy", cell)

    def _handle(self, kind: str, idents: Any, content: Any) -> None:
        try:
            handler = self._kernel.shell_handlers[kind]
            result = handler(self._reply, idents, content)
            if asyncio.iscoroutine(result):
                _finish(result, kind)
        except Exception:
            self._kernel.log.exception("Exception in the handler of %s", kind)

    def _settle(self) -> None:
        """Send what the handler printed and answered, before its idle."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        if hasattr(self._reply, "flush"):
            # zmq.POLLOUT: in ipykernel 6 replies leave through a loop that is blocked now
            self._reply.flush(2)

    def _status(self, status: Literal["busy", "idle"], parent: Any) -> None:
        self._kernel._publish_status(status, "shell", parent=parent)

    def _kind(self, frames: Frames) -> str:
        """The type of a message without opening its content; empty for what is no message."""
        session = self._kernel.session
        try:
            _, rest = session.feed_identities(frames, copy=False)
            return str(session.deserialize(rest, content=False, copy=False)["header"]["msg_type"])
        except Exception:  # noqa: BLE001 - ipykernel 7 sends itself frames that are no messages
            return ""


_given_back: set[asyncio.Future[Any]] = set()


def _finish(coroutine: Any, kind: str) -> None:
    """Run a handler that is a coroutine function but never suspends."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    coroutine.close()
    raise RuntimeError(f"the handler of {kind!r} suspends, so it cannot be answered while a cell is blocked")

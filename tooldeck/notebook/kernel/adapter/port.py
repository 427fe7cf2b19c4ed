# ruff: noqa: SLF001 - reaching for private names is what this package is for
"""One shell of the kernel as waiting code needs it: look at messages, serve some, give the others back."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Literal

__all__ = ["COMM_MESSAGES", "SERVED", "Message", "ShellPort"]

COMM_MESSAGES: Final = frozenset({"comm_open", "comm_msg", "comm_close"})
"""What a click, a slider or a closing widget sends."""

SERVED: Final = COMM_MESSAGES | {"kernel_info_request", "comm_info_request"}
"""What may be answered while a cell is blocked. A reloaded page restores its widgets by the two requests."""

Frames = list[Any]


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the shell channel that may be served while a cell is blocked."""

    kind: str
    """Its type, one of `SERVED`."""
    frames: Frames
    """As received, so that it can be given back."""


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

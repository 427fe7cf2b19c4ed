"""JSON-RPC in frames with a length, as language servers speak it, with somebody who may not keep to it.

Whatever is no message ends the connection with the reason; a request ends in its time, and the other side is
told that nobody waits any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable
from typing import Any

from tooldeck.core.errors import ExpectedError, TransientError

__all__ = ["ENDED", "Closed", "NoSuchMethod", "Refusal", "Silent", "Wire"]

ENDED = "it has ended"
"""Why a connection is closed whose other side has gone without a word."""
MOST_BYTES = 64 * 1024 * 1024
"""Bytes of one message."""
_MOST_UNREAD = 64 * 1024 * 1024
# Bytes that may wait to be read by the other side.
_MOST_HEADER = 8_192
_NO_METHOD, _INTERNAL = -32601, -32603
_AGAIN = frozenset({-32801, -32802})
# ContentModified and ServerCancelled: asked once more, the server answers.
_TRIES = 3


class Refusal(ExpectedError):
    """The server answered with an error."""

    def __init__(self, method: str, code: Any, message: str) -> None:
        super().__init__(f"The server refuses {method}: {message.rstrip('.')}.")
        self.code = code


class Silent(TransientError):
    """The server did not answer in time."""


class Closed(TransientError):
    """The server is gone, or sent what is no message."""


class NoSuchMethod(Exception):
    """Raised for a request of the server that is not known here."""


class Wire:
    """A connection. `answer` answers requests of the other side, `hear` takes its notifications."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        answer: Callable[[str, Any], Any],
        hear: Callable[[str, Any], None],
    ) -> None:
        self.why = ""
        """Why the connection ended; empty while it holds."""
        self.closed = asyncio.Event()
        self._reader, self._writer = reader, writer
        self._answer, self._hear = answer, hear
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read(), name="tooldeck-language-server")

    async def request(self, method: str, params: Any, seconds: float) -> Any:
        """The answer to a request. Raises `Refusal`, `Silent` and `Closed`."""
        for _ in range(_TRIES - 1):
            try:
                return await self._request(method, params, seconds)
            except Refusal as refusal:
                if refusal.code not in _AGAIN:
                    raise
                await asyncio.sleep(0.05)
        return await self._request(method, params, seconds)

    async def _request(self, method: str, params: Any, seconds: float) -> Any:
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self._send({"id": number, "method": method, "params": params})
            async with asyncio.timeout(seconds):
                answer = await future
        except (TimeoutError, asyncio.CancelledError) as error:
            with contextlib.suppress(Closed):
                self.notify("$/cancelRequest", {"id": number})
            if isinstance(error, TimeoutError):
                raise Silent(f"The server did not answer {method} within {seconds:g} s.") from None
            raise
        finally:
            self._waiting.pop(number, None)
        if (error := answer.get("error")) is not None:
            about = error if isinstance(error, dict) else {"message": error}
            raise Refusal(method, about.get("code"), f"{about.get('message')!s:.500}")
        return answer.get("result")

    def notify(self, method: str, params: Any) -> None:
        """Tell the other side something. Raises `Closed`."""
        self._send({"method": method, "params": params})

    def close(self, why: str) -> None:
        """End the connection; whoever waits for an answer gets `why`."""
        if self.closed.is_set():
            return
        self.why = why
        self.closed.set()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(Closed(why))
        self._reading.cancel()

    def _send(self, message: dict[str, Any]) -> None:
        if self.closed.is_set():
            raise Closed(self.why)
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()  # in ASCII, lone surrogates too
        try:
            self._writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        except (OSError, RuntimeError) as error:
            self.close(f"it cannot be written to: {error}")
            raise Closed(self.why) from None
        if self._writer.transport.get_write_buffer_size() > _MOST_UNREAD:
            self.close("it reads nothing of what it is sent")
            raise Closed(self.why)

    async def _read(self) -> None:
        """Take in messages until the end."""
        try:
            while (message := await self._message()) is not None:
                self._take(message)
                await asyncio.sleep(0)  # a server that never stops talking must not have the loop to itself
            why = ENDED
        except (ValueError, RecursionError) as error:
            why = f"it sent what is no message of the protocol: {error}"
        except (OSError, asyncio.IncompleteReadError, Closed) as error:
            why = f"it ended in the middle of a message: {error}"
        self.close(why)

    async def _message(self) -> dict[str, Any] | None:
        length = await self._header()
        if length is None:
            return None
        message = json.loads(await self._reader.readexactly(length))
        if not isinstance(message, dict):
            raise ValueError("a message is an object")  # noqa: TRY004 - told like any other nonsense
        return message

    async def _header(self) -> int | None:
        """The bytes of the message that follows; None at the end."""
        length: int | None = None
        read = 0
        while True:
            line = await self._reader.readline()  # raises ValueError where it is longer than a buffer
            read += len(line)
            if not line and not read:
                return None
            if read > _MOST_HEADER or not line.endswith(b"\n"):
                raise ValueError(f"{line[:80]!r} begins no message")
            if not line.strip():
                break
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
            elif name.strip().lower() != b"content-type":
                raise ValueError(f"{line[:80]!r} is no header")
        if length is None:
            raise ValueError("a message without a length")
        if length > MOST_BYTES:
            raise ValueError(f"a message of {length} bytes, more than {MOST_BYTES}")
        return length

    def _take(self, message: dict[str, Any]) -> None:
        number, method = message.get("id"), message.get("method")
        if isinstance(method, str):
            if "id" in message:
                self._reply(number, method, message.get("params"))
            else:
                with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):  # it has no sense
                    self._hear(method, message.get("params"))
            return
        future = self._waiting.get(number) if type(number) is int else None
        if future is not None and not future.done():  # the answers of others, and late ones, are nobody's
            future.set_result(message)

    def _reply(self, number: Any, method: str, params: Any) -> None:
        try:
            told: dict[str, Any] = {"result": self._answer(method, params)}
        except NoSuchMethod:
            told = {"error": {"code": _NO_METHOD, "message": f"{method} is not known here"}}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            told = {"error": {"code": _INTERNAL, "message": f"{method}: {error!r}"}}
        with contextlib.suppress(Closed):
            self._send({"id": number, **told})

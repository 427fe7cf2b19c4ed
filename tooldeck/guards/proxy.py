"""The URL guard for programs that make connections themselves, such as a browser: a proxy on this machine.

Every request of the program comes here, also redirects, pictures, scripts, WebSockets and what workers ask
for. The address passes the guard, its name is looked up once, and the connection goes to the answer that was
checked. A request without encryption is read and sent on by itself, so that a connection never serves a
second host; one with encryption is a tunnel, and the program checks the certificate.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tooldeck.core.strangers import error_words
from tooldeck.guards.http import guarded_transport, looked_up
from tooldeck.guards.urls import UrlGuard, UrlRefused

__all__ = ["GuardedProxy", "Turned"]

_CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 60.0
"""For the next piece of a plain request or its answer; a tunnel may be silent for longer."""
_PIECE = 2**16
_TIMEOUTS = {"connect": _CONNECT_SECONDS, "read": _IDLE_SECONDS, "write": _IDLE_SECONDS, "pool": None}
_FRAMING = (b"content-length", b"transfer-encoding")
_HEAD = 2**17
"""Bytes of a head, of a request or an answer."""
_MOST_NOTED = 200
# What concerns the one connection that it came over (RFC 9110, 7.6.1), and the host, which is set anew.
_OF_THE_HOP = frozenset(
    {
        b"connection", b"host", b"keep-alive", b"proxy-authenticate", b"proxy-authorization",
        b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade",
    }
)  # fmt: skip


class Turned(NamedTuple):
    """A request that was turned away."""

    host: str
    """Host and port as they were asked for."""
    why: str


class _TooMuch(Exception):
    """The bytes that may pass are used up."""


class GuardedProxy:
    """An HTTP proxy on the loopback interface, for one program; it runs on the loop that starts it.

    `most_bytes` pass until it is told to `refill`. `inner` is an httpx transport that answers in place of the
    network; there are no tunnels then.
    """

    def __init__(self, guard: UrlGuard, most_bytes: int, inner: Any = None) -> None:
        self._guard = guard
        self._offline = inner is not None
        self.transport = guarded_transport(guard, inner)
        self._most = self._left = most_bytes
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.turned: dict[str, Turned] = {}
        """What was turned away, by host and port, the last one each."""

    @property
    def port(self) -> int:
        """Where it listens."""
        if self._server is None:
            raise AssertionError("the proxy was not started")
        return self._server.sockets[0].getsockname()[1]

    async def start(self) -> None:
        """Begin to listen."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)

    def refill(self) -> None:
        """Let as many bytes pass again, and forget what was turned away."""
        self._left = self._most
        self.turned.clear()

    async def close(self) -> None:
        """End every connection."""
        if self._server is not None:
            self._server.close()
        for task in list(self._serving):
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving, timeout=2.0)
        await self.transport.aclose()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        try:
            await _Exchange(self, reader, writer).serve()
        except asyncio.CancelledError:  # by `close`; asyncio's own callback does not expect it
            writer.transport.abort()
        else:
            writer.close()

    def spend(self, size: int) -> None:
        """Count bytes; raises `_TooMuch` where none are left."""
        self._left -= size
        if self._left < 0:
            raise _TooMuch

    def turn_away(self, host: str, why: str) -> None:
        """Note that a request was not sent on."""
        if len(self.turned) < _MOST_NOTED:
            self.turned[host] = Turned(host, why)

    async def reach(self, target: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection for a tunnel to this host and port; raises `UrlRefused` and OSError."""
        if self._offline:
            raise UrlRefused("", "only plain http is answered here, without a network")
        site = self._guard.read(f"https://{target}/")
        failed: OSError = ConnectionError("there is no address")
        for address in await looked_up(self._guard, site):
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    return await asyncio.open_connection(address, site.port, limit=_PIECE)
            except OSError as error:  # TimeoutError is one
                failed = error
        raise failed


class _Exchange:
    """One connection of the program."""

    def __init__(
        self, proxy: GuardedProxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        import h11

        self._h11 = h11
        self._proxy, self._reader, self._writer = proxy, reader, writer
        self._us = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD)

    async def serve(self) -> None:
        """One request; what goes wrong ends the connection, which the program sees as a failed request."""
        import httpx

        asked = ""
        try:
            request = await self._next()
            if not isinstance(request, self._h11.Request):
                return
            asked = request.target.decode("ascii", "replace")
            if request.method == b"CONNECT":
                await self._tunnel(asked)
            else:
                await self._pass_on(request, asked)
        except UrlRefused as refused:
            self._proxy.turn_away(_authority(asked), refused.why or str(refused))
        except _TooMuch:
            self._proxy.turn_away(_authority(asked), "the page had loaded too much by then")
        except (OSError, EOFError, httpx.HTTPError, httpx.InvalidURL, self._h11.ProtocolError):
            return
        except Exception as error:  # noqa: BLE001 - what stands in for the network may raise anything
            self._proxy.turn_away(_authority(asked), f"what answers here raised {error_words(error)[:200]}")

    async def _tunnel(self, target: str) -> None:
        reader, writer = await self._proxy.reach(target)
        self._writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        ways = [
            asyncio.create_task(self._carry(self._reader, writer)),
            asyncio.create_task(self._carry(reader, self._writer)),
        ]
        try:
            await asyncio.gather(*ways)
        finally:
            for way in ways:
                way.cancel()
            writer.transport.abort()

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while piece := await source.read(_PIECE):
            self._proxy.spend(len(piece))
            sink.write(piece)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()

    async def _pass_on(self, asked: Any, url: str) -> None:
        import httpx

        if not url.startswith("http://"):
            raise UrlRefused("", "only http and https addresses may be reached")
        has_body = any(name.lower() in _FRAMING for name, _ in asked.headers)
        request = httpx.Request(
            asked.method.decode("ascii"), url, headers=_kept(asked.headers),
            content=self._body() if has_body else None, extensions={"timeout": _TIMEOUTS},
        )  # fmt: skip
        answer = await self._proxy.transport.handle_async_request(request)
        try:
            headers = [*_kept(answer.headers.raw), (b"connection", b"close")]
            await self._send(self._h11.Response(status_code=answer.status_code, headers=headers))
            async for piece in answer.stream:
                self._proxy.spend(len(piece))
                await self._send(self._h11.Data(data=piece))
            await self._send(self._h11.EndOfMessage())
        finally:
            await answer.aclose()

    async def _body(self) -> AsyncGenerator[bytes]:
        """What the program sends with its request, piece by piece."""
        while isinstance(event := await self._next(), self._h11.Data):
            self._proxy.spend(len(event.data))
            yield bytes(event.data)

    async def _next(self) -> Any:
        while (event := self._us.next_event()) is self._h11.NEED_DATA:
            async with asyncio.timeout(_IDLE_SECONDS):
                self._us.receive_data(await self._reader.read(_PIECE))
        return event

    async def _send(self, event: Any) -> None:
        data = self._us.send(event)
        if data:
            self._writer.write(data)
            await self._writer.drain()


def _kept(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers that go on with a message."""
    lower = [(name.lower(), value) for name, value in headers]
    named = {word.strip().lower() for name, value in lower if name == b"connection"
             for word in value.split(b",")}  # fmt: skip
    return [(name, value) for name, value in lower if name not in _OF_THE_HOP and name not in named]


def _authority(target: str) -> str:
    """Host and port of what a proxy is asked for, as in ``example.org:443``."""
    try:
        parts = urlsplit(target if "//" in target else f"https://{target}")
        port = parts.port or (80 if parts.scheme == "http" else 443)
    except ValueError:
        return target[:200]
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or target
    return f"{host}:{port}"

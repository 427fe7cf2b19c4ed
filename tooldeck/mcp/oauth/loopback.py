"""A listener on 127.0.0.1 for the one request with which a browser comes back from signing in."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Callable
from urllib.parse import urlsplit

from tooldeck.mcp.oauth.redirect import SignInFailed, WrongAddress

__all__ = ["free_port", "listening"]

_HOST = "127.0.0.1"
_LONGEST = 16_384
# Bytes of a request.
_PATIENCE = 5.0
# Seconds a browser has to say what it wants.
_HEAD = (
    "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n"
    "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
    "Content-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n"
)


def free_port() -> int:
    """A port of 127.0.0.1 on which nobody listens now."""
    with socket.create_server((_HOST, 0)) as probe:
        return probe.getsockname()[1]


@contextlib.asynccontextmanager
async def listening(port: int, came: Callable[[str], str]) -> AsyncGenerator[bool]:
    """Listen while the block lasts; gives False where the port is taken.

    `came` is given each whole address that a browser asks for and gives what to tell the person; what it
    raises as `WrongAddress` is told and waited on, as `SignInFailed` told.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(_reply(head.decode("latin-1"), port, came))
                await writer.drain()
        writer.close()

    try:
        server = await asyncio.start_server(answer, _HOST, port, limit=_LONGEST)
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        server.close()


def _reply(head: str, port: int, came: Callable[[str], str]) -> bytes:
    line, *fields = head.split("\r\n")
    method, target, *_ = [*line.split(" "), "", ""]
    hosts = [field.partition(":")[2].strip().lower() for field in fields if field.lower().startswith("host:")]
    if method != "GET" or hosts not in ([f"{_HOST}:{port}"], [f"localhost:{port}"]):
        return _page("400 Bad Request", "This address only ends a sign-in.")
    if not target.startswith("/") or urlsplit(target).netloc:
        return _page("400 Bad Request", "This address only ends a sign-in.")
    try:
        return _page("200 OK", came(f"http://{_HOST}:{port}{target}"))
    except WrongAddress as wrong:
        return _page("400 Bad Request", str(wrong))
    except SignInFailed as failed:
        return _page("200 OK", f"Nobody was signed in: {failed}. You can close this page.")


def _page(status: str, text: str) -> bytes:
    body = text.encode()
    return _HEAD.format(status=status, length=len(body)).encode() + body

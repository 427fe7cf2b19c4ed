"""Streamable HTTP on a thread of its own, for as long as the process lives and nobody stops it."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from tooldeck.core.errors import SetupError
from tooldeck.hosts.background import BackgroundLoop
from tooldeck.serve.guard import Guard, trusted_hosts
from tooldeck.serve.server import DeckServer

__all__ = ["PATH", "HttpCarrier", "quiet"]

PATH = "/mcp"
_END = 1
"""Seconds that open streams are given when the server stops."""


class HttpCarrier:
    """Carries a `DeckServer` over HTTP. The port is bound at once, so that `port` is known.

    Raises `SetupError` where the port cannot be had.
    """

    def __init__(self, server: DeckServer, host: str, port: int, token: str | None) -> None:
        quiet()
        self._server = server
        self._socket = _bound(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._loop = BackgroundLoop("tooldeck-serving")
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                _app(server, host, token),
                log_config=None,
                access_log=False,
                ws="none",
                lifespan="on",
                timeout_graceful_shutdown=_END,
            )
        )
        self._ended: Future[Any] | None = None

    @property
    def running(self) -> bool:
        """Whether requests are answered."""
        return self._ended is not None and not self._ended.done()

    def start(self) -> Future[None]:
        """Start to serve; the future is done when requests are answered, or has what went wrong."""
        started: Future[None] = Future()
        self._ended = self._loop.submit(self._serve, started)
        return started

    async def _serve(self, started: Future[None]) -> None:
        try:
            self._server.start()
            self._uvicorn.on_start = lambda: started.set_result(None)
            await self._uvicorn.serve(sockets=[self._socket])
        except BaseException as error:
            if not started.done():
                started.set_exception(error)
            raise
        finally:
            if not started.done():
                started.set_exception(SetupError("The server ended before it had begun."))
            self._socket.close()

    def stop(self) -> Future[Any]:
        """End the calls under way, tell those who listen, close the port; the future is done after that."""
        return self._loop.submit(self._stop)

    async def _stop(self) -> None:
        await self._server.stop()
        self._uvicorn.should_exit = True
        if self._ended is not None:
            await asyncio.wait({asyncio.wrap_future(self._ended)}, timeout=2 * _END + 1)

    def end_thread(self) -> None:
        """End the thread, once `stop` is through."""
        self._loop.stop(2.0)


class _Uvicorn(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.on_start: Callable[[], object] = lambda: None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.on_start()


def _app(server: DeckServer, host: str, token: str | None) -> ASGIApp:
    settings = trusted_hosts(host)
    app = server.protocol.streamable_http_app(
        streamable_http_path=PATH, transport_security=settings, host=host
    )
    return Guard(app, token, settings)


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise SetupError(
            f"Port {port} of {host} cannot be had ({error.strerror or error}); port=0 takes a free one."
        ) from None
    return made


def quiet() -> None:
    """Keep the log lines of the libraries out of cells and away from protocol streams."""
    for name in ("mcp", "uvicorn", "sse_starlette"):
        logger = logging.getLogger(name)
        if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
            logger.addHandler(logging.NullHandler())

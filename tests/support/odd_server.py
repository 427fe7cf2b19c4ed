"""A web server on this machine that behaves as badly as a test says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tooldeck.guards.urls import UrlGuard

__all__ = ["OddServer", "odd_server"]

Reply = tuple[int, Mapping[str, str], bytes] | Callable[[BaseHTTPRequestHandler], None]
HOSTS = ("site.example", "other.example")


class OddServer:
    """What is served, by path, and what was asked for."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.pages: dict[str, Reply] = {}
        self.asked: list[tuple[str, str]] = []
        """Host and path of each request."""
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        """What was sent by POST."""
        self.over = threading.Event()

    def url(self, path: str, host: str = "site.example") -> str:
        return f"http://{host}:{self.port}{path}"

    @property
    def guard(self) -> UrlGuard:
        """Lets the two hosts through at this port; every other name leads to a neighbour."""
        return UrlGuard(
            allow=tuple(f"{host}:{self.port}" for host in HOSTS), resolver=lambda host, port: ["127.0.0.1"]
        )

    def page(self, path: str, body: bytes | str, kind: str = "text/html", **headers: str) -> None:
        data = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = (200, {"content-type": kind, **named}, data)

    def redirect(self, path: str, target: str, status: int = 302) -> None:
        self.pages[path] = (status, {"location": target}, b"")


@contextmanager
def odd_server() -> Generator[OddServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            served.asked.append((self.headers["host"].partition(":")[0], path))
            served.headers.append(dict(self.headers))
            reply = served.pages.get(path, (404, {}, b"no such page"))
            if callable(reply):
                reply(self)
                return
            status, headers, body = reply
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:  # the client had enough
                return

        def do_POST(self) -> None:
            served.bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.do_GET()

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = OddServer(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        served.over.set()
        server.shutdown()
        thread.join(10)
        server.server_close()

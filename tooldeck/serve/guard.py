"""Who gets in over HTTP: no web page that found the port, and nobody without the token."""

from __future__ import annotations

import contextlib
import hmac
import secrets
import socket
from typing import Any

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tooldeck.core.errors import DefinitionError

__all__ = ["LOOPBACK", "Guard", "check_host", "read_token", "trusted_hosts"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
SHORTEST = 8
"""Characters that a token has at least."""


class Guard:
    """ASGI middleware: the Host and Origin headers first, then the token, then the app.

    `token` is the only one that is accepted; None accepts every program of this machine.
    """

    def __init__(self, app: ASGIApp, token: str | None, settings: TransportSecuritySettings) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._headers = TransportSecurityMiddleware(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        page = await self._headers.validate_request(request, is_post=request.method == "POST")
        refused = page or self._stranger(request)
        await (refused or self._app)(scope, receive, send)

    def _stranger(self, request: Request) -> JSONResponse | None:
        if self._token is None or request.url.path.startswith("/.well-known/"):  # where nothing is
            return None
        given = request.headers.getlist("authorization")
        scheme, _, token = (given[0] if len(given) == 1 else "").partition(" ")
        same = hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self._token)
        if same and scheme.lower() == "bearer":
            return None
        told = "Send the token of this server: Authorization: Bearer TOKEN."
        return JSONResponse({"error": told}, 401, {"WWW-Authenticate": "Bearer"})


def read_token(given: Any) -> str | None:
    """The token to be asked for: `given`, a random one for None, and no token for False.

    Raises `DefinitionError` for an empty, short or odd one, so that a setting that was never made closes the
    door instead of opening it.
    """
    if given is False:
        return None
    if given is None:
        return secrets.token_urlsafe(32)
    if not isinstance(given, str) or len(given) < SHORTEST or not given.isascii() or not given.isprintable():
        raise DefinitionError(
            f"token= must be at least {SHORTEST} plain characters; leave it out for a random one."
        )
    if given != given.strip() or " " in given:
        raise DefinitionError("token= must have no spaces; leave it out for a random one.")
    return given


def check_host(host: Any, *, force: bool, token: str | None) -> str:
    """The address to listen on; others than this machine's own only with `force`, and with a token."""
    if host in LOOPBACK:
        return host
    if not isinstance(host, str) or not host:
        raise DefinitionError(f"host= must be an address of this machine, got {host!r}.")
    if not force:
        raise DefinitionError(
            f"host={host!r} lets other machines reach this notebook, and nothing is encrypted on the way; "
            "say force=True (--force) if that is meant."
        )
    if token is None:
        raise DefinitionError(f"host={host!r} needs a token; leave token= out for a random one.")
    return host


def trusted_hosts(host: str) -> TransportSecuritySettings:
    """The Host and Origin headers that are let in: this machine's names for itself."""
    names = ["127.0.0.1", "localhost", "[::1]"]
    if host not in LOOPBACK:
        names += _names_of_this_machine(host)
    hosts = [form for name in names for form in (name, f"{name}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"http://{form}" for form in hosts],
    )


def _names_of_this_machine(host: str) -> list[str]:
    own = socket.gethostname()
    found = [own, socket.getfqdn(), *([] if host in {"0.0.0.0", "::"} else [host])]  # noqa: S104 - compared
    with contextlib.suppress(OSError):
        found += [str(entry[4][0]) for entry in socket.getaddrinfo(own, None)]
    return list(dict.fromkeys(f"[{name}]" if ":" in name else name for name in found))

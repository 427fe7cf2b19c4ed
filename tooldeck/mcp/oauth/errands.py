"""The requests of signing in: to the server itself as ever, to what it names past the URL guard.

A server names its authorization server, and that one its addresses: none may lead us to a neighbour.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx2

from tooldeck.guards.http import GuardedTransport
from tooldeck.guards.urls import UrlGuard, UrlRefused, masked
from tooldeck.mcp.oauth.redirect import SignInFailed, is_here, of_here

__all__ = ["Errands"]

_LONGEST = 1_000_000
# Bytes of an answer.
_PATIENCE = 15.0
# Seconds for each step of a request.


class Errands:
    """Sends the requests of signing in to the server at `url`; `guard` is for the addresses that it names."""

    def __init__(self, url: str, guard: UrlGuard) -> None:
        self._server = httpx2.URL(url)
        self._guard = guard

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, read its answer whole; raises `SignInFailed` where that may not or cannot be."""
        shown = masked(str(request.url.copy_with(query=None, fragment=None)))
        # Unpacked, a small answer may be a huge one.
        request.headers["Accept-Encoding"] = "identity"
        try:
            async with self._client(request.url) as client:
                response = await client.send(request, stream=True, follow_redirects=False)
                await _read(response, shown)
                return response
        except UrlRefused as refused:
            raise SignInFailed(f"its address {shown} is not reached: {refused.why}") from None
        except (httpx2.HTTPError, OSError) as error:
            raise SignInFailed(f"its address {shown} does not answer ({type(error).__name__})") from None

    def _client(self, url: httpx2.URL) -> httpx2.AsyncClient:
        if (url.scheme, url.host, url.port) == (self._server.scheme, self._server.host, self._server.port):
            return httpx2.AsyncClient(timeout=_PATIENCE)
        here = is_here(url.host) and is_here(self._server.host)
        if url.scheme != "https" and not here:
            raise SignInFailed(f"its address {masked(str(url.copy_with(query=None)))} is not encrypted")
        guard = self._guard
        if here:  # a server of this machine may have its neighbours here sign people in
            guard = replace(guard, allow=(*guard.allow, *of_here(str(url))))
        inner = httpx2.AsyncHTTPTransport(trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0))
        guarded: Any = GuardedTransport(guard, inner)
        return httpx2.AsyncClient(transport=guarded, timeout=_PATIENCE, trust_env=False)


async def _read(response: httpx2.Response, shown: str) -> None:
    """Read an answer within limits, so that `aread` finds it there."""
    if response.headers.get("content-encoding", "identity") != "identity":
        await response.aclose()
        raise SignInFailed(f"the answer of {shown} came packed, though it was asked not to be")
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > _LONGEST:
            await response.aclose()
            raise SignInFailed(f"the answer of {shown} was longer than {_LONGEST:,} bytes")
    response._content = bytes(body)  # noqa: SLF001 - what `aread` would set; it knows no limit

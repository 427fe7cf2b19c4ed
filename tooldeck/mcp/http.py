"""A server reached over HTTP, as the streams that the MCP client reads and writes.

Streamable HTTP first; a server that refuses it as older ones do is tried with the transport of 2024-11-05,
which listens to a stream of events.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tooldeck.mcp.oauth.signing import Signing

__all__ = ["TRANSPORTS", "HttpDoor"]

TRANSPORTS = {"auto": ("http", "sse"), "http": ("http",), "sse": ("sse",)}
"""By the user's word: what is tried, in this order."""
_PATIENCE = 30.0
# Seconds to connect, to send and to get a connection from the pool.
_OLDER = {400, 404, 405, 406, 415}
# How servers answer that know nothing of Streamable HTTP; 401 and 403 say nothing about it.


class HttpDoor:
    """The way to one URL. Reading has no time limit of its own: that of the call is the one that counts."""

    def __init__(self, url: str, headers: dict[str, str], signing: Signing | None = None) -> None:
        self.url = url
        self.headers = headers
        named = any(name.lower() == "authorization" for name in headers)
        self._signing = None if named else signing
        self._by = ""
        self.refused: int | None = None
        """The status of the last answer to a message, where that was a refusal."""

    @property
    def may_be_older(self) -> bool:
        """Whether the refusal is one that an older server would give."""
        return self.refused in _OLDER

    @property
    def why_unknown(self) -> str:
        """Why the server does not know who asks, as the end of a sentence."""
        trouble = "" if self._signing is None else self._signing.trouble
        return trouble or "give headers={'Authorization': …}"

    def _auth(self) -> Any:
        return None if self._signing is None else self._signing.auth(self.url)

    @contextlib.asynccontextmanager
    async def streams(self, transport: str) -> AsyncGenerator[tuple[Any, Any]]:
        """Connect by ``http`` or ``sse``."""
        self.refused, self._by = None, transport
        async with self._sse() if transport == "sse" else self._http() as streams:
            yield streams

    @contextlib.asynccontextmanager
    async def _http(self) -> AsyncGenerator[tuple[Any, Any]]:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        async with (
            httpx2.AsyncClient(
                headers=self.headers or None,
                auth=self._auth(),
                timeout=httpx2.Timeout(_PATIENCE, read=None),
                event_hooks={"response": [self._look]},
            ) as client,
            # The library's limit of 1 MiB an event would lose ordinary large results.
            streamable_http_client(self.url, http_client=client, max_sse_event_size=None) as streams,
        ):
            yield streams

    # Here the library reads events of up to 1 MiB and has no option for more.
    @contextlib.asynccontextmanager
    async def _sse(self) -> AsyncGenerator[tuple[Any, Any]]:
        import httpx2
        from mcp.client.sse import sse_client

        def client(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
            return httpx2.AsyncClient(
                headers=headers,
                auth=auth,
                timeout=httpx2.Timeout(_PATIENCE, read=None),
                event_hooks={"response": [self._look]},
            )

        ways = sse_client(self.url, self.headers or None, httpx_client_factory=client, auth=self._auth())
        async with ways as streams:
            yield streams

    async def _look(self, response: Any) -> None:
        # A server may well refuse the stream on which it would speak unasked.
        if response.request.method == "POST" or self._by == "sse":
            self.refused = response.status_code if response.status_code >= 400 else None

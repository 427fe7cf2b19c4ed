"""A server reached over Streamable HTTP, as the streams that the MCP client reads and writes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

__all__ = ["http_streams"]

_PATIENCE = 30.0
# Seconds to connect, to send and to get a connection from the pool.


@contextlib.asynccontextmanager
async def http_streams(url: str, headers: dict[str, str]) -> AsyncGenerator[tuple[Any, Any]]:
    """Connect to `url`. Reading has no time limit of its own: that of the call is the one that counts."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(headers=headers or None, timeout=httpx2.Timeout(_PATIENCE, read=None)) as client,
        # The library's limit of 1 MiB an event would lose ordinary large results.
        streamable_http_client(url, http_client=client, max_sse_event_size=None) as streams,
    ):
        yield streams

"""Clients of a served deck, made with the official SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

__all__ = ["connect"]


@asynccontextmanager
async def connect(serving: Any, mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
    """A client of the SDK with the token of the served deck."""
    headers = {} if serving.token is None else {"Authorization": f"Bearer {serving.token}"}
    async with (
        create_mcp_http_client(headers=headers) as http,
        Client(streamable_http_client(serving.url, http_client=http), mode=mode, **options) as client,
    ):
        yield client

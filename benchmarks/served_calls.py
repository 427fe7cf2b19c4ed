"""A call of a served deck over stdio, against the same function on the SDK's own bare server."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.mcp_calls import in_turns
from benchmarks.measure import Figure

HERE = Path(__file__).parent
OURS = ["-m", "tooldeck", "serve", "--stdio", str(HERE / "adding.py")]
THEIRS = [str(HERE / "adding.py")]
ARGUMENTS = {"a": 2, "b": 3}


def figures() -> Iterator[Figure]:
    """Medians of the wall clock in milliseconds, one call of each kind in turns."""
    yield asyncio.run(_figure())


async def _figure() -> Figure:
    async with _client(OURS) as ours, _client(THEIRS) as theirs:

        async def served() -> Any:
            return await ours.call_tool("add", ARGUMENTS)

        async def bare() -> Any:
            return await theirs.call_tool("add", ARGUMENTS)

        assert (await served()).structured_content == (await bare()).structured_content == {"result": 5}
        times = await in_turns({"ours": served, "theirs": bare})
    return Figure("MCP served call, against the SDK's server", times["ours"], times["theirs"], "ms", "1.5")


def _client(words: list[str]) -> Client:
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    return Client(stdio_client(StdioServerParameters(command=sys.executable, args=words, env=environment)))

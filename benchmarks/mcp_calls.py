"""A call of an MCP server over stdio, through the deck and through the SDK's own client."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.measure import Figure
from tooldeck import Deck

SERVER = [sys.executable, "-m", "tooldeck.mcp.demo_server"]
ARGUMENTS = {"a": 2, "b": 3}
# A server that starts at once, so that what is measured is not its imports.
LIGHT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        server = {"name": "light", "version": "1"}
        answer["result"] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": [{"name": "one", "inputSchema": {"type": "object"}}]}
    else:
        answer["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(answer), flush=True)
"""
ROUNDS = 300
CONNECTS = 12
# The first of each is not counted: it imports what the others have.


def figures() -> Iterator[Figure]:
    """Medians of the wall clock in milliseconds, one call of each kind in turns."""
    yield from asyncio.run(_figures())


async def _figures() -> list[Figure]:
    deck = Deck(policy="auto")
    beyond = await _connect_beyond(deck)
    connection = await deck.mcp.aconnect(SERVER, label="bench")
    tool = connection["add"]
    try:
        async with Client(stdio_client(StdioServerParameters(command=SERVER[0], args=SERVER[1:]))) as client:

            async def theirs() -> Any:
                return await client.call_tool("add", ARGUMENTS)

            async def awaited() -> Any:
                return (await deck.acall(tool, ARGUMENTS)).unwrap()

            async def blocking() -> Any:
                return deck.call(tool, ARGUMENTS).unwrap()

            times = await in_turns({"theirs": theirs, "awaited": awaited, "blocking": blocking})
    finally:
        await asyncio.to_thread(deck.close)
    return [
        Figure("MCP stdio call, awaited, against the SDK", times["awaited"], times["theirs"], "ms", "1.3"),
        Figure("MCP stdio call, blocking, against the SDK", times["blocking"], times["theirs"], "ms", "1.3"),
        Figure("MCP stdio connect, beyond the SDK, against 100 ms", beyond, 100.0, "ms", "1"),
    ]


async def _connect_beyond(deck: Deck) -> float:
    """Milliseconds that connecting takes longer than with the SDK's own client, its list of tools read."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(CONNECTS):
        start = time.perf_counter()
        await deck.mcp.aconnect([sys.executable, "-S", "-c", LIGHT], label="connect")
        ours.append(time.perf_counter() - start)
        await deck.mcp.aclose("connect")
        start = time.perf_counter()
        way = stdio_client(StdioServerParameters(command=sys.executable, args=["-S", "-c", LIGHT]))
        async with Client(way) as client:
            await client.list_tools()
            theirs.append(time.perf_counter() - start)
    return (statistics.median(ours[1:]) - statistics.median(theirs[1:])) * 1e3


async def in_turns(calls: dict[str, Callable[[], Awaitable[Any]]]) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            await call()
            taken[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(times) for name, times in taken.items()}

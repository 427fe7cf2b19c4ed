"""A server made with the official library, for the newer protocol.

``sdk.py http`` serves HTTP, ``sdk.py sse`` does so by the older transport.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from typing import Annotated

from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from pydantic import BaseModel

server = MCPServer("sdk")
stopped: list[str] = []


class Name(BaseModel):
    name: str


class Colour(BaseModel):
    colour: str


def _name() -> Elicit[Name]:
    return Elicit("Your name?", Name)


def _colour() -> Elicit[Colour]:
    return Elicit("Your colour?", Colour)


@server.tool()
def add(a: int, b: int) -> int:
    return a + b


@server.tool()
def two_questions(name: Annotated[Name, Resolve(_name)], colour: Annotated[Colour, Resolve(_colour)]) -> str:
    return f"{name.name} likes {colour.colour}"


@server.tool()
async def wait_long() -> str:
    try:
        await asyncio.sleep(3600)
    except BaseException as error:
        stopped.append(type(error).__name__)
        raise
    return "waited"


@server.tool()
def how_many_stopped() -> int:
    return len(stopped)


@server.tool()
async def steps(context: Context) -> str:
    for step in (1, 2, 3):
        await context.report_progress(step, 3, f"step {step}")
    return "done"


@server.tool()
def large(size: int) -> str:
    return "x" * size


@server.tool()
def die() -> str:
    os._exit(7)


@server.tool()
async def grow(context: Context) -> str:
    server.add_tool(lambda: "new", name="grown", description="New.")
    await context.session.send_tool_list_changed()  # heard in the older protocol
    await context.notify_tools_changed()  # and in the newer one
    return "grown"


if sys.argv[1:]:
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    app = server.streamable_http_app() if sys.argv[1] == "http" else server.sse_app()
    config = uvicorn.Config(app, log_level="error")
    uvicorn.Server(config).run(sockets=[listener])
else:
    server.run("stdio")

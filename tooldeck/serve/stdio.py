"""The deck over standard input and output, for clients that start a command; nothing else gets onto them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

import anyio
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.stdio import stdio_server

from tooldeck.serve.http import quiet
from tooldeck.serve.server import DeckServer

__all__ = ["Wire", "private_wire", "serve_stdio"]


@dataclass(frozen=True, slots=True)
class Wire:
    """The two ends of the protocol."""

    incoming: TextIO
    outgoing: TextIO


@contextmanager
def private_wire() -> Generator[Wire]:
    """Take standard input and output away from everything else, from now on and for child processes.

    What is printed goes to standard error, and who reads finds the end of the input.
    """
    sys.stdout.flush()
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield Wire(
            io.TextIOWrapper(os.fdopen(incoming, "rb"), encoding="utf-8", errors="replace"),
            io.TextIOWrapper(os.fdopen(outgoing, "wb"), encoding="utf-8", newline="\n"),
        )
    finally:
        sys.stdout.flush()


async def serve_stdio(server: DeckServer, wire: Wire) -> None:
    """Serve one client until it closes its end."""
    quiet()
    server.start()
    try:
        async with stdio_server(anyio.wrap_file(wire.incoming), anyio.wrap_file(wire.outgoing)) as streams:
            options = server.protocol.create_initialization_options(NotificationOptions(tools_changed=True))
            await server.protocol.run(*streams, options)
    finally:
        await server.stop()

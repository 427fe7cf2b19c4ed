"""A small MCP server to learn with: ``%mcp connect demo``. No network, nothing outside of its own memory.

It is a program of its own, started as a child process like any other server.
"""

from __future__ import annotations

import asyncio
import base64
import json
import struct
import zlib
from typing import Annotated, Any

from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp_types import (
    CallToolResult,
    Completion,
    CompletionArgument,
    ImageContent,
    TextContent,
    ToolAnnotations,
)
from pydantic import BaseModel, Field

server = MCPServer(
    "tooldeck-demo",
    instructions="Small tools to try out: arithmetic, a list of notes, a slow job, a question, a picture; "
    "cities as a tool, as a prompt and as resources.",
)

CITIES = {
    "Lisbon": {"country": "Portugal", "people": 545_000},
    "Nairobi": {"country": "Kenya", "people": 4_397_000},
    "Oslo": {"country": "Norway", "people": 717_000},
}
notes: list[str] = []


class City(BaseModel):
    """What the demo knows of a city."""

    name: str
    country: str
    people: int = Field(description="Inhabitants")


class Size(BaseModel):
    """The answer that `order_coffee` asks for."""

    size: str = Field(
        description="small, medium or large", json_schema_extra={"enum": ["small", "medium", "large"]}
    )
    milk: bool = Field(default=False, description="With milk?")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(
    a: Annotated[float, Field(description="First number")],
    b: Annotated[float, Field(description="Second number")],
) -> float:
    """Add two numbers."""
    return a + b


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def city(name: Annotated[str, Field(description="Lisbon, Nairobi or Oslo")]) -> City:
    """Look up a city. Changes nothing."""
    found = _found(name)
    if found is None:
        raise ToolError(_unknown(name))
    return found


def _found(name: str) -> City | None:
    for known, facts in CITIES.items():
        if known.casefold() == name.strip().casefold():
            return City(name=known, **facts)  # type: ignore[arg-type] - the table fits
    return None


def _unknown(name: str) -> str:
    return f"no city {name!r} here; there are {', '.join(CITIES)}"


@server.tool()
def write_note(
    text: Annotated[str, Field(min_length=1, max_length=200, description="What to remember")],
) -> int:
    """Add a note to the list and tell how many there are."""
    notes.append(text)
    return len(notes)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def read_notes() -> list[str]:
    """All notes so far."""
    return list(notes)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def count_slowly(
    context: Context[Any, Any],
    steps: Annotated[int, Field(ge=1, le=100, description="How many steps")] = 5,
    pause: Annotated[float, Field(ge=0, le=60, description="Seconds per step")] = 0.2,
) -> str:
    """Count, reporting progress after every step. May be cancelled."""
    for done in range(1, steps + 1):
        await asyncio.sleep(pause)
        await context.report_progress(done, steps, f"step {done} of {steps}")
    return f"counted to {steps}"


async def _which_size(drink: str) -> Elicit[Size]:
    return Elicit(f"Which size of {drink}?", Size)


@server.tool()
def order_coffee(
    size: Annotated[Size, Resolve(_which_size)],
    drink: Annotated[str, Field(description="coffee, espresso, …")] = "coffee",
) -> str:
    """Order a drink; asks the person for the size in the middle of the call."""
    return f"one {size.size} {drink}{' with milk' if size.milk else ''}"


@server.tool()
def fail(reason: Annotated[str, Field(description="What to complain about")] = "out of paper") -> str:
    """Always fails, to see what a failure looks like and how a breaker opens."""
    raise ToolError(reason)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def gradient(
    width: Annotated[int, Field(ge=1, le=256)] = 64, height: Annotated[int, Field(ge=1, le=256)] = 32
) -> CallToolResult:
    """A small picture, with a caption and its measures."""
    picture = ImageContent(data=base64.b64encode(_png(width, height)).decode(), mime_type="image/png")
    return CallToolResult(
        content=[TextContent(text=f"A gradient of {width} × {height} pixels."), picture],
        structured_content={"width": width, "height": height},
    )


@server.prompt()
def describe_city(
    name: Annotated[str, Field(description="Lisbon, Nairobi or Oslo")],
    style: Annotated[str, Field(description="short, cheerful or dry")] = "short",
) -> str:
    """Ask for a few words on a city."""
    found = _found(name)
    known = f"What is known of it: {found.model_dump_json()}" if found else "Nothing is known of it here."
    return f"Describe {name} in a {style} paragraph. {known}"


@server.resource("demo://cities", mime_type="application/json")
def cities() -> str:
    """All cities that the demo knows, as a table."""
    return json.dumps([{"name": name, **facts} for name, facts in CITIES.items()])


@server.resource("demo://city/{name}", mime_type="application/json")
def city_by_name(name: str) -> str:
    """One of the cities."""
    found = _found(name)
    if found is None:
        raise ResourceNotFoundError(_unknown(name))
    return found.model_dump_json()


@server.completion()
async def suggest(_ref: Any, argument: CompletionArgument, _context: Any) -> Completion | None:
    """What may stand in the gaps of the prompt and of the template."""
    known = {"name": list(CITIES), "style": ["short", "cheerful", "dry"]}.get(argument.name)
    if known is None:
        return None
    begun = argument.value.casefold()
    return Completion(values=[one for one in known if one.casefold().startswith(begun)])


def _png(width: int, height: int) -> bytes:
    """A PNG that fades from blue to orange."""
    rows = bytearray()
    for _ in range(height):
        rows.append(0)  # the row's filter: none
        for x in range(width):
            share = x / max(1, width - 1)
            rows += bytes((int(30 + 210 * share), int(90 + 60 * share), int(200 - 160 * share)))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


if __name__ == "__main__":
    server.run("stdio")

"""The deck that the official conformance suite looks at, with the tools that the suite calls by name.

Run by ``scripts/conformance.sh``; the deck has tools only, so it offers neither prompts nor resources.
"""

from __future__ import annotations

import base64
import sys
import time
from typing import Any

from tooldeck import Deck, ExpectedError, Injected, Progress, Tool
from tooldeck.core.parts import Answer, Audio, Image, Resource, Text
from tooldeck.registry.json_schema import JsonSchemaParameters

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
HEADER = b"\x10\x00\x00\x00\x01\x00\x01\x00D\xac\x00\x00\x88X\x01\x00\x02\x00\x10\x00"
SOUND = b"RIFF$\x00\x00\x00WAVEfmt " + HEADER + b"data\x00\x00\x00\x00"
HEADED: dict[str, Any] = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
deck = Deck()


@deck.tool(effects="none")
def test_simple_text() -> str:
    """A text."""
    return "This is a simple text response for testing."


@deck.tool(effects="none")
def test_image_content() -> Image:
    """A picture."""
    return Image(PIXEL)


@deck.tool(effects="none")
def test_audio_content() -> Audio:
    """A sound."""
    return Audio(SOUND)


@deck.tool(effects="none")
def test_embedded_resource() -> Resource:
    """A resource that comes along."""
    return Resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")


@deck.tool(effects="none")
def test_multiple_content_types() -> Answer:
    """A text, a picture and a resource."""
    parts = (
        Text("Multiple content types test:"),
        Image(PIXEL),
        Resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    )
    return Answer(None, None, parts)


@deck.tool(effects="none")
def test_tool_with_progress(progress: Injected[Progress]) -> str:
    """Three reports of progress."""
    for done in (0, 50, 100):
        progress(done, 100, f"Completed step {done} of 100")
        time.sleep(0.06)  # a report in each of the intervals in which the deck passes them on
    return "done"


@deck.tool(effects="none")
def test_error_handling() -> str:
    """Always fails."""
    raise ExpectedError("This tool intentionally returns an error for testing")


@deck.tool(effects="none")
def test_trigger_tool_change() -> str:
    """Change the list of tools."""
    if "another" in deck:
        deck.remove("another")
    else:
        deck.add(lambda: "one more", name="another", description="One more tool.", effects="none")
    return "changed"


for name, schema in {"json_schema_2020_12_tool": SCHEMA, "test_region": HEADED}.items():
    deck.add(
        Tool(
            name,
            "A tool whose schema is written by hand.",
            JsonSchemaParameters(schema),
            lambda values: str(dict(values)),
            effects=frozenset(),
        )
    )

if __name__ == "__main__":
    serving = deck.serve(token=False, port=0)
    print(serving.url, flush=True)
    sys.stdin.read()

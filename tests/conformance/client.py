"""The deck's own MCP client, as the official conformance suite starts it: the address comes as the last word.

The suite looks at what reaches its server; so every tool that is offered is called once.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from tooldeck import Deck
from tooldeck.mcp.handlers import Answer, Handlers, Question

GIVEN: dict[str, Any] = {"a": 5, "b": 3}
SAMPLES: dict[str, Any] = {
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "string": "text",
    "array": [],
    "object": {},
}


async def accept(question: Question) -> Answer:
    """Take what the server proposes."""
    fields = (question.schema or {}).get("properties", {})
    return Answer("accept", {name: one["default"] for name, one in fields.items() if "default" in one})


def arguments(schema: dict[str, Any]) -> dict[str, Any]:
    """Something for every parameter that has to be there."""
    known = schema.get("properties", {})
    return {
        name: GIVEN.get(name, SAMPLES.get(known.get(name, {}).get("type"), "text"))
        for name in schema.get("required", ())
    }


def main(url: str) -> None:
    deck = Deck(policy="auto")
    dated = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "")
    deck.mcp.handlers = Handlers(on_elicit=accept)
    made = deck.mcp.connect(url, label="suite", mode="legacy" if dated and dated < "2026" else "auto")
    wanted = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}").get("toolCalls")
    for one in wanted or []:
        print(deck.call(made[one["name"]], one["arguments"]))
    for tool in [] if wanted else list(made.tools.values()):
        print(deck.call(tool, arguments(tool.parameters)))
    deck.close()


if __name__ == "__main__":
    main(sys.argv[-1])

"""``system``: what the deck's tools are, so that a model need not be shown all of them at once."""

from __future__ import annotations

import math
from collections import Counter
from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.vocabulary import nearest
from tooldeck.store.searching import index

__all__ = ["system"]

_SATURATION, _LENGTH = 1.2, 0.75
"""The usual constants of BM25."""
_NAME_COUNTS = 3
"""How much more a word in the name of a tool counts than one in its description."""
_LINE = 200

system = ActionTool("system", "The tools of this deck: find one, and see what it takes.", trust="untrusted")
"""The tool. Descriptions may be those of remote tools, so what it says is outside text."""


@system.action(effects="read", examples=[{"query": "find tools"}, {"query": "schema", "limit": 3}])
def tool_search(
    context: Injected[ToolContext],
    query: Annotated[str, Field(min_length=1, description="What the tool should do.")],
    limit: Annotated[int, Field(ge=1, le=50, description="How many tools at most.")] = 5,
) -> dict[str, Any]:
    """Find tools by words of their names, descriptions and parameters, the best first."""
    offered = context.deck.export("mcp")
    ranked = _ranked(query, [_words(one) for one in offered])
    found = [offered[place] for place in ranked[:limit]]
    return {"tools": [{"name": one["name"], "description": _line(one)} for one in found], "of": len(offered)}


@system.action(effects="read", examples=[{"tool": "system"}, {"tool": "system", "for_action": "tool_schema"}])
def tool_schema(
    context: Injected[ToolContext],
    tool: Annotated[str, Field(description="Its name.")],
    for_action: Annotated[
        str | None, Field(description="One of its actions; all of them, when left out.")
    ] = None,
) -> dict[str, Any]:
    """Say what a tool does and what it takes, with examples."""
    offered = {one["name"]: one for one in context.deck.export("mcp")}
    if tool not in offered:
        close = nearest(tool, offered)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "tool_search finds tools."
        raise ExpectedError(f"There is no tool {tool!r} that can be used; {hint}")
    meant = context.deck[tool]
    described, schema = meant.description, offered[tool]["inputSchema"]
    if for_action is not None:
        usable = schema["properties"].get("action", {}).get("enum", ())
        if for_action not in meant.actions or for_action not in usable:
            have = f"it has {', '.join(usable)}." if usable else "it has none."
            raise ExpectedError(f"{tool} has no action {for_action!r} that can be used; {have}")
        meant = meant.actions[for_action]
        described, schema = meant.description, meant.parameters
    told = {"name": tool, "description": described, "parameters": schema}
    shown = [*meant.examples, *(one for each in meant.actions.values() for one in each.examples[:1])]
    return {**told, "examples": [dict(one) for one in shown[:2]]} if shown else told


def _line(exported: dict[str, Any]) -> str:
    return " ".join(str(exported.get("description") or "").split())[:_LINE]


def _words(exported: dict[str, Any]) -> Counter[str]:
    """How often each word comes in what is said of a tool."""
    schema: dict[str, Any] = exported["inputSchema"]
    said = [str(exported.get("description") or "")]
    for name, inner in schema.get("properties", {}).items():
        said += [name, str(inner.get("description") or ""), " ".join(map(str, inner.get("enum", ())))]
    counted = Counter(_cut("\n".join(said)))
    for word in _cut(exported["name"]):
        counted[word] += _NAME_COUNTS
    return counted


def _cut(text: str) -> list[str]:
    return [word for column in index(text) for word in column.split()]


def _ranked(query: str, texts: list[Counter[str]]) -> list[int]:
    """The places of the texts that have any word of the query, by BM25 (Robertson and others, 1994)."""
    lengths = [text.total() for text in texts]
    usual = sum(lengths) / len(lengths) if texts else 1
    scores = [0.0] * len(texts)
    for word in set(_cut(query)):
        having = sum(word in text for text in texts)
        rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for place, text in enumerate(texts):
            count = text[word]
            norm = count + _SATURATION * (1 - _LENGTH + _LENGTH * lengths[place] / usual)
            scores[place] += rarity * count * (_SATURATION + 1) / norm
    return sorted((place for place, score in enumerate(scores) if score), key=lambda place: -scores[place])

"""The three tools by which a model reaches tools that it is not shown: search, description, call.

`tool_call` never runs: the deck reads what is meant in it before anything else looks at the call, so that
policy, hooks, approvals and traces see the tool itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from tooldeck.core.arguments import read_arguments
from tooldeck.core.define import define
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.options import check_options
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import nearest

__all__ = ["BRIDGES", "Meant", "described", "found", "meant"]

_LINE = 200
"""Characters of a description in a list of tools."""


def found(deck: Any, query: str, limit: int) -> dict[str, Any]:
    """The tools that fit a query, the best first, each in one line, and how many there are at all."""
    tools = [{"name": tool.name, "description": _line(tool)} for tool in deck.search_tools(query, limit)]
    return {"tools": tools, "of": len(deck.tools)}


def described(deck: Any, name: str, action: str | None = None) -> dict[str, Any]:
    """What a tool, or one of its actions, does and takes, with examples; raises `ExpectedError`."""
    exported = deck.export("mcp", names=[name])
    if not exported:
        close = nearest(name, [tool.name for tool in deck.search_tools(name)])
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "tool_search finds tools."
        raise ExpectedError(f"There is no tool {name!r} that can be used; {hint}")
    tool: Tool = deck[name]
    said, schema = tool.description, exported[0]["inputSchema"]
    if action is not None:
        usable = schema["properties"].get("action", {}).get("enum", ())
        if action not in tool.actions or action not in usable:
            have = f"it has {', '.join(usable)}." if usable else "it has none."
            raise ExpectedError(f"{name} has no action {action!r} that can be used; {have}")
        tool = tool.actions[action]
        said, schema = tool.description, tool.parameters
    told = {"name": name, "description": said, "parameters": schema}
    shown = [*tool.examples, *(one for each in tool.actions.values() for one in each.examples[:1])]
    return {**told, "examples": [dict(one) for one in shown[:2]]} if shown else told


def _line(tool: Tool) -> str:
    return " ".join(tool.description.split())[:_LINE]


# -- the tools


def tool_search(
    context: Injected[ToolContext],
    query: Annotated[str, Field(min_length=1, description="What the tool should do, or its name.")],
    limit: Annotated[int, Field(ge=1, le=50, description="How many tools at most.")] = 5,
) -> dict[str, Any]:
    """Find tools that are not among those shown here. Call one with tool_call."""
    return found(context.deck, query, limit)


def tool_describe(
    context: Injected[ToolContext],
    name: Annotated[str, Field(description="A name that tool_search gave.")],
) -> dict[str, Any]:
    """Say what a tool does and which arguments it takes."""
    return described(context.deck, name)


def tool_call(
    name: Annotated[str, Field(description="A name that tool_search gave.")],
    arguments: Annotated[
        dict[str, Any] | None, Field(description="Its arguments, as tool_describe says.")
    ] = None,
) -> Any:
    """Call a tool that tool_search gave."""
    raise ExpectedError(f"tool_call cannot call {name}; give the name of the tool itself.")


def _bridge(function: Any, **options: Any) -> Tool:
    return define(function, check_options(options), origin=Origin("builtin"))


BRIDGES: Mapping[str, Tool] = {
    "tool_search": _bridge(tool_search, effects="read", trust="untrusted"),
    "tool_describe": _bridge(tool_describe, effects="read", trust="untrusted"),
    "tool_call": _bridge(tool_call),
}
"""By name. What the first two say is outside text, since descriptions may be those of remote tools."""


class Meant(NamedTuple):
    """The call in a call of `tool_call`."""

    name: str
    arguments: Mapping[str, Any] | str | None


def meant(raw: Mapping[str, Any] | str | None) -> Meant | None:
    """What a call of `tool_call` with these arguments means; None where that cannot be read without doubt."""
    read = read_arguments(raw, BRIDGES["tool_call"].parameters)
    if read.problems or set(read.arguments) - {"name", "arguments"}:
        return None
    name, arguments = read.arguments.get("name"), read.arguments.get("arguments")
    if not isinstance(name, str):
        return None
    return Meant(name, arguments) if arguments is None or isinstance(arguments, Mapping | str) else None

"""The way by which tools together can carry private data out, though each of them alone is honest.

Content of strangers can hold orders to a model; in one session with a tool that reads private data and one
that sends something out, such an order can be carried out. What a tool does is what its user declared, else
what its name says: a server's own words are not believed for more than this warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Effect
from tooldeck.mcp.lint import Finding, Severity

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection

__all__ = ["toxic_flows"]

_BRINGS = re.compile(
    r"fetch|browse|crawl|scrape|navigate|web|search_(?:web|issues|code)|download|(?:read|get|list|search)_?"
    r"(?:e?mails?|messages?|inbox|comments?|issues?|pull_?requests?|page|url|feed|reviews?)\b",
    re.IGNORECASE,
)
_READS = re.compile(
    r"(?:read|get|list|search|open|query|find|show|dump|export)_?\w{0,20}?(?:files?|director\w+|folder|database|tables?|"
    r"records?|secrets?|env|keys?|notes?|nodes|graph|contacts?|e?mails?|inbox|documents?|memory|history)\b"
    r"|^(?:read_?)?query$|read_graph|get_?env",
    re.IGNORECASE,
)
_SENDS = re.compile(
    r"(?:send|post|publish|upload|push|forward|reply|share|tweet|notify|submit)(?:_|\b|[A-Z])"
    r"|create_?(?:issue|comment|gist|pull_?request|page)|add_?comment|http_?request|webhook|fetch",
    re.IGNORECASE,
)


def toxic_flows(servers: Iterable[Connection]) -> list[tuple[Connection, Finding]]:
    """One finding for the deck, at the server of the way out, where its servers' tools have all three parts.

    A server that has all of them itself counts too; one tool cannot be all three.
    """
    tools = [(made, raw, tool) for made in servers for raw, tool in made.tools.items()]
    brings = [one for one in tools if _is(one[2], one[1], Effect.NETWORK, _BRINGS)]
    reads = [one for one in tools if _is(one[2], one[1], Effect.READ, _READS)]
    sends = [one for one in tools if _is(one[2], one[1], Effect.NETWORK, _SENDS)]
    for made, sink, _ in sends:
        for _, private, _ in [one for one in reads if one[:2] != (made, sink)]:
            source = next(((by, raw) for by, raw, _ in brings if raw != private), None)
            if source is None:
                continue
            what = (
                f"together they can carry private data out, on the orders of strangers: {source[1]!r} of "
                f"{source[0].label!r} brings their content, {private!r} reads what is private, this sends"
            )
            return [(made, Finding(Severity.WARNING, sink, "the tools together", what))]
    return []


def _is(tool: Tool, raw: str, effect: Effect, name: re.Pattern[str]) -> bool:
    """Whether a tool does something: as its user declared, else as its name says."""
    return (tool.effects is None or effect in tool.effects) and name.search(raw) is not None

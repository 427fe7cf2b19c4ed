"""Tab completion where code speaks to a deck: names in quotes, parameters, the tools of a server.

Completers of Python code evaluate no subscript of an object of ours, and know nothing of names in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tooldeck.deck import Deck

__all__ = ["Offer", "complete_code"]

_TOOL = re.compile(r"""(\w+)\.(?:a?call|remove|enable|disable|breaker)\(\s*["'](\w*)$""")
_PARAMETER = re.compile(r"""(\w+)\.a?call\(\s*(["'])(\w+)\2\s*,(.*?)(\w*)$""")
_SERVER = re.compile(r"""(\w+)\.mcp\[\s*["']([^"']*)$""")
_MEMBER = re.compile(r"""(\w+)\.mcp\[\s*(["'])([^"']+)\2\s*\]\.(\w*)$""")


class Offer(NamedTuple):
    """What may stand at the end of a line."""

    fragment: str
    """The beginning that stands there already."""
    words: list[str]
    """Whole words, which replace it."""
    alone: bool = True
    """Whether nothing else can stand there."""


def complete_code(names: Mapping[str, Any], line: str) -> Offer | None:
    """What may stand at the end of a line of code; None where it speaks to none of the decks in `names`."""
    if (found := _TOOL.search(line)) and (deck := _deck(names, found[1])):
        return _offer(found[2], deck.tools)
    if (found := _SERVER.search(line)) and (deck := _deck(names, found[1])):
        return _offer(found[2], (made.label for made in deck.servers()))
    if (found := _MEMBER.search(line)) and (deck := _deck(names, found[1])):
        members = (name for made in deck.servers() if made.label == found[3] for name in dir(made))
        hidden = found[4].startswith("_")
        return _offer(found[4], (name for name in members if hidden or not name.startswith("_")))
    if (found := _PARAMETER.search(line)) and (deck := _deck(names, found[1])):
        return _parameters(deck, found[3], found[4], found[5])
    return None


def _deck(names: Mapping[str, Any], name: str) -> Deck | None:
    found = names.get(name)
    return found if isinstance(found, Deck) else None


def _offer(fragment: str, words: Iterable[str]) -> Offer:
    return Offer(fragment, sorted(word for word in words if word.startswith(fragment)))


def _parameters(deck: Deck, tool: str, given: str, fragment: str) -> Offer | None:
    """The parameters of a tool that are not given yet, where an argument may begin."""
    if tool not in deck.tools or given.rstrip()[-1:] not in {"", ","}:
        return None
    taken = set(re.findall(r"(\w+)\s*=", given))
    names = deck.tools[tool].parameters.get("properties", {})
    words = [f"{name}=" for name in names if name not in taken and name.isidentifier()]
    return Offer(fragment, [word for word in words if word.startswith(fragment)], alone=False)

"""The part of a deck that finds tools, and decides which of them a model is shown."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from tooldeck.core.errors import DefinitionError
from tooldeck.core.strangers import to_repr
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import BRIDGE_NAMES
from tooldeck.search.index import ToolIndex
from tooldeck.search.settings import ToolSearch, deferred, read_tool_search

__all__ = ["Offer", "Searched", "bridge_of", "unwrapped"]

_MOST_WRAPS = 4
"""How often a call of ``tool_call`` may stand in another one."""


class Offer(NamedTuple):
    """The tools for one reply of a model."""

    shown: list[Tool]
    """Those that it is shown."""
    all: list[Tool]
    """Those that it may call."""


class _Shelf(Protocol):
    revision: int

    @property
    def view(self) -> Mapping[str, Tool]: ...


class _Deck(Protocol):
    """What a deck has besides."""

    _shelf: Any
    _tool_search: ToolSearch
    _searching: _Searching

    def _usable(self) -> list[Tool]: ...

    def _shown(self, tool: Tool) -> Tool: ...

    def _never_runs(self, tool: Tool) -> bool: ...


class _Searching:
    """The index of one deck, brought up to date when it is asked."""

    def __init__(self) -> None:
        self._index = ToolIndex()
        self._seen = -1
        self._lock = threading.Lock()

    def index(self, shelf: _Shelf) -> ToolIndex:
        """The index of the tools that are on the shelf now."""
        with self._lock:
            revision = shelf.revision
            if revision != self._seen:
                self._index.update(dict(list(shelf.view.items())))
                self._seen = revision
        return self._index


class Searched:
    """The methods of a deck about finding tools."""

    _shelf: Any
    _tool_search: ToolSearch
    _searching: _Searching

    def _search_by(self, settings: str | ToolSearch) -> None:
        self._searching = _Searching()
        self.tool_search = settings

    @property
    def tool_search(self) -> ToolSearch:
        """When models are shown few tools and find the others; set it to `ToolSearch`, or its first word."""
        return self._tool_search

    @tool_search.setter
    def tool_search(self, settings: str | ToolSearch) -> None:
        self._tool_search = read_tool_search(settings)

    def search_tools(self: _Deck, query: str, limit: int = 5) -> list[Tool]:
        """The tools that fit a query best, as models are shown them, without those that never run.

        Looked for are words of names (split at case and separators), descriptions and parameters, in any
        inflection and any script, misspelled by a letter too. Tools whose names are in the query come first,
        all of them, also beyond `limit`. Raises `DefinitionError` for a query that is no text, and
        `StoreError` where SQLite was built without FTS5.
        """
        if not isinstance(query, str) or type(limit) is not int or limit < 1:
            raise DefinitionError(
                f"A search takes text and a limit of 1 or more, got {to_repr(query)[:100]} and {limit!r}."
            )
        view: Mapping[str, Tool] = self._shelf.view

        def usable(name: str) -> bool:
            tool = view.get(name)
            return tool is not None and not self._never_runs(tool)

        names = self._searching.index(self._shelf).find(query, limit, usable)
        found = [view.get(name) for name in names]
        return [self._shown(tool) for tool in found if tool is not None]

    def _offer(self: _Deck, context: int | None) -> Offer:
        """The tools for a model with so many tokens of context.

        Where a policy or an allow list keeps the search from running, all tools are shown.
        """
        usable = self._usable()
        hidden = set(deferred(usable, self._tool_search, context))
        bridges = [bridge_of(name) for name in BRIDGE_NAMES] if hidden else []
        if not hidden or any(map(self._never_runs, bridges[:2])):
            return Offer(usable, usable)
        return Offer([*(tool for tool in usable if tool not in hidden), *bridges], [*usable, *bridges])


def bridge_of(name: str) -> Tool:
    """One of the tools by which others are reached; they are made when first needed."""
    from tooldeck.search.bridges import BRIDGES

    return BRIDGES[name]


def unwrapped(name: Any, arguments: Any) -> tuple[Any, Any]:
    """The name and the arguments that a call means: those within it where it is one of ``tool_call``."""
    for _ in range(_MOST_WRAPS):
        if name != "tool_call":
            break
        from tooldeck.search.bridges import meant

        inner = meant(arguments)
        if inner is None:
            break
        name, arguments = inner
    return name, arguments

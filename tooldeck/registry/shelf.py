"""The tools of one deck by name: how they come in, what replaces what, and which one a call means."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.call import Outcome
from tooldeck.core.define import define
from tooldeck.core.errors import DefinitionError
from tooldeck.core.options import check_options
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import BRIDGE_NAMES, Status, nearest
from tooldeck.registry.dialects import lettered
from tooldeck.registry.records import from_record

__all__ = ["Shelf", "make_tool"]


def make_tool(thing: Any, given: Mapping[str, Any]) -> Tool:
    """Make a tool of anything that can be one, with `Options` and ``origin`` by name."""
    origin = given.get("origin")
    options = check_options({name: value for name, value in given.items() if name != "origin"})
    if origin is not None and not isinstance(origin, Origin):
        raise DefinitionError(f"The option origin must be an Origin, got {origin!r}.")
    if isinstance(thing, Tool):
        if given:
            raise DefinitionError(f"{thing.name!r} is a finished tool; set its options where it is defined.")
        return thing
    if isinstance(thing, ActionTool):
        if options.changes():
            raise DefinitionError(f"{thing.name!r} has actions; set options where they are defined.")
        return thing.tool(origin)
    if isinstance(thing, Mapping):
        return from_record(thing, options, origin)
    return define(thing, options, origin=origin)


class Shelf:
    """Tools by name, in the order in which they came. Readers may run beside a writer on another thread."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self.view: Mapping[str, Tool] = MappingProxyType(self._tools)
        """All tools, live and read-only."""
        self.revision = 0
        """Changes with every tool that comes or goes."""

    def all(self) -> list[Tool]:
        """The tools of this moment."""
        return list(self._tools.values())

    def put(self, tool: Tool) -> Tool | None:
        """Put a tool in; returns the one it replaces. One of the same name from another place is refused."""
        if tool.name in BRIDGE_NAMES:
            raise DefinitionError(
                f"{tool.name!r} is what models find other tools with; give this one another name (name=…)."
            )
        known = self._tools.get(tool.name)
        if known is not None and known.origin != tool.origin:
            raise DefinitionError(
                f"There is a tool {tool.name!r} from {known.origin} already; this one is from {tool.origin}. "
                f"Give it another name (name=…), or remove the other first: deck.remove({tool.name!r})."
            )
        self._tools[tool.name] = tool
        self.revision += 1
        return known

    def get(self, name: str) -> Tool:
        """The tool of this name; raises KeyError with the nearest names when there is none."""
        try:
            return self._tools[name]
        except KeyError:
            raise KeyError(self._no_such(name)) from None

    def take(self, name: str) -> Tool:
        """Take a tool out and return it; raises KeyError like `get`."""
        gone = self.get(name)
        self._tools.pop(name, None)
        self.revision += 1
        return gone

    def meant(self, name: str, given: Tool | None, *, ours: bool) -> Tool | Outcome:
        """The tool that a call means: of this name, or `given` as an object; `ours` when it was in here.

        An object that was replaced since means its successor, and a function the tool that was made of it.
        """
        found = self._tools.get(name)
        if given is None:
            return found or self._exported(name) or Outcome(Status.UNKNOWN, error=self._no_such(name))
        if not ours:
            return found if found is not None and _same_function(found, given) else given
        if found is not None and found.origin == given.origin:
            return found
        return Outcome(Status.UNKNOWN, error=f"{name} was removed from this deck; add it again to call it.")

    def _exported(self, name: str) -> Tool | None:
        """The tool that this is the name of where names begin with a letter; see `lettered`."""
        meant = [tool for own, tool in list(self._tools.items()) if own != name and lettered(own) == name]
        return meant[0] if len(meant) == 1 else None

    def _no_such(self, name: str) -> str:
        names = list(self._tools)
        close = nearest(name, names)
        if close:
            return f"There is no tool {name!r}; did you mean {' or '.join(map(repr, close))}?"
        return f"There is no tool {name!r}; there are: {', '.join(names[:_LISTED]) or 'no tools yet'}."


_LISTED = 50


def _same_function(one: Tool, other: Tool) -> bool:
    """Whether two tools run the same function; a method is a new object each time it is read."""
    if inspect.ismethod(one.function):
        return one.function == other.function
    return one.function is other.function is not None

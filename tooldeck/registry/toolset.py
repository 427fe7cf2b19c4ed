"""A set of tools by name: adding, replacing, looking up and taking out. `Deck` is one that also runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tooldeck.core.events import Event, ToolAdded, ToolRemoved
from tooldeck.core.options import check_options
from tooldeck.core.tool import Binding, Tool
from tooldeck.registry.shelf import Shelf, make_tool

__all__ = ["ToolSet"]


class ToolSet:
    """Tools by name, in the order in which they came.

    `binding` ties each tool to what runs it; `tell` hears of every change; `forget` drops what was made for
    a tool that is gone.
    """

    def __init__(
        self, binding: Binding, tell: Callable[[Event], None], forget: Callable[[Tool], None]
    ) -> None:
        self._binding = binding
        self._tell = tell
        self._forget = forget
        self._shelf = Shelf()

    @property
    def tools(self) -> Mapping[str, Tool]:
        """All tools by name, in the order in which they came."""
        return self._shelf.view

    def __getitem__(self, name: str) -> Tool:
        return self._shelf.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self.tools

    def __iter__(self) -> Iterator[str]:
        return iter(list(self.tools))

    def __len__(self) -> int:
        return len(self.tools)

    def __bool__(self) -> bool:
        return True  # a deck without tools is a deck

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tools)

    def add(self, thing: Any, /, **options: Any) -> Tool:
        """Add a function, partial, method, callable object, `BaseTool` object, `Tool` or tool record.

        Options as in `Options`, beside ``origin``. A tool of the same name from the same place is replaced;
        one from another place is refused. Raises `DefinitionError` naming what is wrong and what to do.
        """
        made = make_tool(thing, options).bound(self._binding)
        known = self._shelf.put(made)
        if known is not None:
            self._forget(known)
        self._tell(ToolAdded(made, known))
        return made

    def tool(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Decorator that adds a function to this deck, bare or with `Options`; gives the `Tool`."""
        if function is not None:
            return self.add(function, **options)
        check_options({name: value for name, value in options.items() if name != "origin"})
        return lambda later: self.add(later, **options)

    def remove(self, name: str) -> None:
        """Take a tool out of the deck; raises KeyError with the nearest names when there is none."""
        gone = self._shelf.take(name)
        self._forget(gone)
        self._tell(ToolRemoved(gone))

    def _mine(self, tool: Tool) -> bool:
        return tool.binding is self._binding

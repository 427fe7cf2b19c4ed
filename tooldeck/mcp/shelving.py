"""Keeping a deck in step with what its servers offer: tools come, change, and go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from tooldeck.core.errors import DefinitionError
from tooldeck.core.tool import Origin, Tool
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.names import deck_names
from tooldeck.mcp.tap import Malformed
from tooldeck.mcp.tools import make_tool

__all__ = ["Shelf", "Shelving"]


class Shelf(Protocol):
    """Where tools are put; a deck is one."""

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools by name."""
        ...

    def add(self, thing: Any, /) -> Tool:
        """Put a tool there; raises `DefinitionError` when its name belongs to somebody else."""
        ...

    def remove(self, name: str) -> None:
        """Take a tool away."""
        ...


class Shelving:
    """Puts tools of servers on one shelf; a tool that comes again gets the name it had."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._known: dict[str, dict[str, str]] = {}

    def update(self, connection: Connection) -> None:
        """Bring the shelf and `connection` up to date with the server's list of this moment."""
        session, label = connection.session, connection.label
        taken = self._tools_now()
        mine = self._tools_of(label, taken)
        known = self._known.setdefault(label, {})
        names = deck_names(
            label,
            [tool.name for tool in session.tools],
            lambda name: name in mine or name not in taken,
            known,
        )
        bad = list(session.malformed)
        made: dict[str, Tool] = {}
        for remote in session.tools:
            try:
                made[remote.name] = make_tool(session, remote, names[remote.name], connection.declared)
            except DefinitionError as error:
                bad.append(Malformed(remote.name, str(error)))
        for name in mine - {tool.name for tool in made.values()}:
            self._shelf.remove(name)
        connection.tools = {raw: self._shelf.add(tool) for raw, tool in made.items()}
        connection.names = {raw: names[raw] for raw in made}
        connection.malformed = tuple(bad)
        connection.notes = self._notes(connection)
        connection.past.keep(session)
        known.update(connection.names)

    def clear(self, label: str) -> None:
        """Take the tools of a server away."""
        for name in self._tools_of(label, self._tools_now()):
            self._shelf.remove(name)

    def _tools_now(self) -> dict[str, Tool]:
        """The tools of this moment, since other threads add and remove some meanwhile."""
        return dict(list(self._shelf.tools.items()))

    @staticmethod
    def _tools_of(label: str, tools: Mapping[str, Tool]) -> set[str]:
        origin = Origin("mcp", label)
        return {name for name, tool in tools.items() if tool.origin == origin}

    def _notes(self, connection: Connection) -> list[str]:
        renamed = [
            f"{raw!r} is called {name!r} here{self._why(raw, connection.label)}"
            for raw, name in connection.names.items()
            if raw != name
        ]
        unusable = [f"Not usable: {one}" for one in connection.malformed]
        unused = connection.declared.unused(tool.name for tool in connection.session.tools)
        return [*renamed, *unusable, *unused]

    def _why(self, raw: str, label: str) -> str:
        other = self._shelf.tools.get(raw)
        if other is None or other.origin == Origin("mcp", label):
            return "."
        return f", because {raw!r} is a tool of {other.origin}."

"""Keeping a deck in step with what its servers offer: tools come, change, are held back, and go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from tooldeck.core.errors import DefinitionError
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import BRIDGE_NAMES
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.lint import Finding, Severity, gravest_first, lint, orders, shadowing
from tooldeck.mcp.names import deck_names
from tooldeck.mcp.pins import Standing, digest
from tooldeck.mcp.tap import Malformed
from tooldeck.mcp.tools import make_tool
from tooldeck.mcp.trust import Trust, renamed

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
    """Puts tools of servers on one shelf; a tool that comes again gets the name it had.

    `others` gives the tools of all servers but the one with a label, and whose each is.
    """

    def __init__(self, shelf: Shelf, trust: Trust, others: Callable[[str], Mapping[str, str]]) -> None:
        self._shelf = shelf
        self._trust = trust
        self._others = others
        self._known: dict[str, dict[str, str]] = {}
        self._linted: dict[str, list[Finding]] = {}

    def update(self, connection: Connection) -> None:
        """Bring the shelf and `connection` up to date with the server's list of this moment."""
        session, label = connection.session, connection.label
        offered = [tool for tool in session.tools if connection.declared.wants(tool.name)]
        taken = self._tools_now()
        mine = self._tools_of(label, taken)
        known = self._known.setdefault(label, {})
        names = deck_names(
            label,
            [tool.name for tool in offered],
            lambda name: name in mine or (name not in taken and name not in BRIDGE_NAMES),
            known,
        )
        bad = list(session.malformed)
        made: dict[str, Tool] = {}
        connection.held = {}
        for remote in offered:
            standing = self._trust.standing(connection, remote.name, remote.definition)
            if standing is not Standing.PINNED:
                connection.held[remote.name] = standing
            try:
                made[remote.name] = make_tool(
                    session,
                    remote,
                    names[remote.name],
                    connection.declared,
                    standing=standing,
                    revive=connection.revive,
                )
            except DefinitionError as error:
                bad.append(Malformed(remote.name, str(error)))
        # Before the tools come: whoever hears of them may look.
        connection.names = {raw: names[raw] for raw in made}
        connection.findings = self._findings(connection)
        for name in mine - {tool.name for tool in made.values()}:
            self._shelf.remove(name)
        connection.tools = {raw: self._shelf.add(tool) for raw, tool in made.items()}
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
        return [*renamed, *unusable, *unused, *self._warnings(connection)]

    def _warnings(self, connection: Connection) -> Iterator[str]:
        """What a person should look at: definitions nobody accepted, and suspicious words in them."""
        twins = renamed(connection, self._trust.pins)
        for name, standing in connection.held.items():
            if standing is Standing.CHANGED:
                yield f"{name!r} is blocked: its definition changed; see %mcp approve {connection.label}."
            elif name in twins:
                yield f"{name!r} is new, and just what {twins[name]!r} was; it asks until it is accepted."
            else:
                yield f"{name!r} is new; it asks until it is accepted: %mcp approve {connection.label}."
        yield from (str(one) for one in connection.findings if one.severity is Severity.DANGER)
        rest = sum(one.severity is Severity.WARNING for one in connection.findings)
        if rest:
            yield f"{rest} more to look at: %mcp check {connection.label}."
        if self._trust.pins.trouble:
            yield f"What is accepted is not kept: {self._trust.pins.trouble}"

    def _findings(self, connection: Connection) -> list[Finding]:
        others = self._others(connection.label)
        own = [tool.name for tool in connection.session.tools]
        found: list[Finding] = []
        for tool in connection.session.tools:
            key = digest(tool.definition)
            if key not in self._linted:
                self._linted[key] = lint(tool.definition)
            found += [*self._linted[key], *shadowing(tool.definition, others), *orders(tool.definition, own)]
        return gravest_first(found)

    def _why(self, raw: str, label: str) -> str:
        other = self._shelf.tools.get(raw)
        if other is None or other.origin == Origin("mcp", label):
            return "."
        return f", because {raw!r} is a tool of {other.origin}."

"""Tables a person asks for: the tools, the last calls, the deck at a glance; each as text and as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tooldeck.core.breaker import Phase
from tooldeck.core.result import ToolResult
from tooldeck.core.tokens import tool_tokens
from tooldeck.core.tool import Tool
from tooldeck.deck import Deck
from tooldeck.guards.text import one_line
from tooldeck.notebook import facts
from tooldeck.notebook.pieces import code, line, panel, table
from tooldeck.plugins import GROUP, Plugin
from tooldeck.policy import Policy
from tooldeck.store.log import LoggedCall

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection
    from tooldeck.mcp.lint import Finding

__all__ = [
    "CallLogTable",
    "DeckView",
    "PluginTable",
    "SessionTable",
    "StoredLogTable",
    "Table",
    "ToolTable",
    "findings_of",
    "without_empty",
]


class Table:
    """Rows of text, the first one the heading."""

    def rows(self) -> list[tuple[str, ...]]:
        """The rows; given by each kind of table."""
        raise NotImplementedError

    empty = ""

    def __repr__(self) -> str:
        rows = self.rows()
        return _columns(rows) if len(rows) > 1 else self.empty

    def _repr_html_(self) -> str:
        rows = self.rows()
        if len(rows) == 1:
            return panel(code(self.empty))
        heading = tuple(f"<strong>{cell}</strong>" for cell in rows[0])
        return table([heading, *(tuple(code(cell) for cell in row) for row in rows[1:])])


@dataclass(frozen=True, slots=True, repr=False)
class ToolTable(Table):
    """What ``%tools`` shows."""

    tools: tuple[Tool, ...]
    deck: Deck
    nothing: str = "No tools yet: write a %%tool cell, or connect a server with %mcp connect demo."
    tokens: Callable[[Tool], int] = tool_tokens
    """Counts what the declaration of a tool costs a model."""

    @property
    def empty(self) -> str:
        """Said when there is nothing to list."""
        return self.nothing

    def rows(self) -> list[tuple[str, ...]]:
        """One row a tool; one that cannot be used says why instead of what policy makes of its calls."""
        rows = [
            ("tool", "from", "does", "policy", "tokens", "lint", "description"),
            *(
                (
                    tool.name,
                    facts.origin(tool.origin),
                    facts.powers(tool),
                    _off(self.deck, tool) or _word(self.deck.policy, tool),
                    str(self.tokens(tool)),
                    ", ".join(facts.marks(findings_of(self.deck, tool))),
                    _first_line(tool.description),
                )
                for tool in self.tools
            ),
        ]
        return without_empty(rows, "lint")


@dataclass(frozen=True, slots=True, repr=False)
class CallLogTable(Table):
    """What ``%deck log`` shows on a deck without a store: the last calls, oldest first."""

    results: tuple[ToolResult, ...]

    @property
    def empty(self) -> str:
        """Said when there is nothing to list."""
        return "No calls yet."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a call."""
        return [
            ("call", "by", "status", "attempts", "time", "said"),
            *(
                (
                    facts.call_line(result.call.name, _arguments(result)),
                    str(result.call.caller.source),
                    str(result.status),
                    str(result.attempts),
                    facts.duration(result.seconds),
                    _first_line(result.error or "; ".join(map(str, result.notes))),
                )
                for result in self.results
            ),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class StoredLogTable(Table):
    """What ``%deck log`` shows where calls are stored: the last ones of all times, oldest first."""

    calls: tuple[LoggedCall, ...]

    @property
    def empty(self) -> str:
        """Said when there is nothing to list."""
        return "No such call."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a call."""
        return [
            ("id", "when", "call", "by", "status", "attempts", "time", "said"),
            *(
                (
                    str(call.id),
                    datetime.fromisoformat(call.started).astimezone().strftime("%Y-%m-%d %H:%M:%S"),
                    facts.call_line(call.name, call.arguments or {}),
                    call.source,
                    call.status,
                    str(call.attempts),
                    "" if call.seconds is None else facts.duration(call.seconds),
                    _first_line(call.error or "; ".join(call.notes)),
                )
                for call in self.calls
            ),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class SessionTable(Table):
    """What ``%mcp list`` shows: the servers and how they are."""

    servers: tuple[Connection, ...]

    @property
    def empty(self) -> str:
        """Said when there is nothing to list."""
        return "No server is connected; try %mcp connect demo."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a server."""
        return [
            ("server", "state", "protocol", "over", "tools", "tokens", "target", "reason"),
            *(
                (
                    made.label,
                    str(made.state),
                    made.session.protocol,
                    made.session.transport,
                    str(len(made)),
                    str(_tokens(made)),
                    str(made.session.target),
                    _first_line(made.reason),
                )
                for made in self.servers
            ),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class PluginTable(Table):
    """What ``%deck plugins`` shows: installed packages that bring tools, none of them imported."""

    plugins: tuple[Plugin, ...]

    @property
    def empty(self) -> str:
        """Said when there is nothing to list."""
        return f"No installed package has an entry point in the group {GROUP}."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a plug-in."""
        return [
            ("plug-in", "package", "version", "code"),
            *((one.name, one.package, one.version, one.target) for one in self.plugins),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class DeckView:
    """What ``%deck`` shows: counts, policy, servers and every breaker that is not quiet."""

    deck: Deck

    def _lines(self) -> list[str]:
        deck = self.deck
        tokens = sum(tool_tokens(tool) for tool in list(deck.tools.values()))
        tools = facts.count(len(deck), "tool")
        calls = facts.count(len(deck.history()), "call")
        head = f"Deck: {tools}, about {facts.count(tokens, 'token')}; {calls} made"  # ours: its spaces stay
        lines = [f"  {_tool_line(deck, tool)}" for tool in list(deck.tools.values())]
        lines.append(f"  policy {deck.policy.preset}" + "".join(f"; {rule}" for rule in deck.policy.rules))
        lines += [f"  granted: {grant}" for grant in deck.policy.grants]
        lines += [f"  server {_server(made)}" for made in deck.servers()]
        lines += [f"  breaker of {name}: {words}" for name, words in self._breakers()]
        return [head, *(one_line(told) for told in lines)]

    def _breakers(self) -> Iterable[tuple[str, str]]:
        for name in self.deck.tools:
            watched = {name: self.deck.breaker(name)}
            watched |= {f"{name} for {target}": it for target, it in self.deck.breaker_targets(name).items()}
            for label, breaker in watched.items():
                state = breaker.state
                if state.phase is not Phase.CLOSED or state.failures:
                    yield label, f"{state.phase}, {state.failures} of {breaker.settings.threshold} failures"

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return panel(*(line(told) for told in self._lines()))


def findings_of(deck: Deck, tool: Tool) -> list[Finding]:
    """What is suspicious in the words of a server's tool, the gravest first."""
    if tool.origin.kind != "mcp":
        return []
    servers = [made for made in deck.servers() if made.label == tool.origin.label]
    return servers[0].findings_of(tool) if servers else []


def without_empty(rows: list[tuple[str, ...]], heading: str) -> list[tuple[str, ...]]:
    """The rows without the column of that heading where nothing is in it."""
    place = rows[0].index(heading)
    if any(row[place] for row in rows[1:]):
        return rows
    return [(*row[:place], *row[place + 1 :]) for row in rows]


def _tool_line(deck: Deck, tool: Tool) -> str:
    off = _off(deck, tool)
    return f"{tool.name}{f' ({off})' if off else ''}: {_first_line(tool.description)}"


def _off(deck: Deck, tool: Tool) -> str:
    """Why a tool cannot be used now; empty where it can."""
    reason = deck.why_not(tool)
    return f"off: {_first_line(reason)}" if reason else ""


def _word(policy: Policy, tool: Tool) -> str:
    verdict = policy.static(tool)
    return "by arguments" if verdict is None else str(verdict.word)


def _arguments(result: ToolResult) -> Mapping[str, Any]:
    """The arguments as understood, else as they came."""
    raw = result.call.raw
    return result.call.arguments or (raw if isinstance(raw, Mapping) else {})


def _columns(rows: list[tuple[str, ...]]) -> str:
    shown = [tuple(one_line(cell) for cell in row) for row in rows]
    widths = [max(len(row[index]) for row in shown) for index in range(len(shown[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in shown
    )


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0]


def _tokens(made: Connection) -> int:
    """What the tools of a server cost a model that is shown them all."""
    return sum(tool_tokens(tool) for tool in list(made.tools.values()))


def _server(made: Connection) -> str:
    words = f"{made.label}: {made.state}, {facts.count(len(made), 'tool')}"
    return f"{words}; {_first_line(made.reason)}" if made.reason else words

"""What went over the wire to MCP servers, as tables and pages: the log, one exchange, times, differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tooldeck.core.tokens import tool_tokens
from tooldeck.guards.text import json_text, one_line, visible
from tooldeck.notebook import facts
from tooldeck.notebook.diffs import diff_rows, diff_size
from tooldeck.notebook.listing import Table
from tooldeck.notebook.pieces import box, code, diff_box, folded, panel, shown

if TYPE_CHECKING:
    from tooldeck.mcp.changes import Changes
    from tooldeck.mcp.connection import Connection
    from tooldeck.mcp.frames import Exchange, Frame
    from tooldeck.mcp.lint import Finding
    from tooldeck.mcp.rounds import Rounds
    from tooldeck.mcp.tap import Malformed

__all__ = ["CheckedOffer", "DiffView", "ExchangeView", "FindingTable", "TimingTable", "WireLog"]

_FOLDED = 2_000
# Characters of a message that a line of the log unfolds to; `%mcp show` has the whole.
_ROUNDS = 20
# Exchanges of one request that its line unfolds to: the first, and the last ones.


@dataclass(frozen=True, slots=True, repr=False)
class WireLog(Table):
    """What ``%mcp log`` shows: requests with their answers, and notifications, oldest first."""

    lines: Sequence[tuple[Connection, Rounds]]
    stderr: Sequence[tuple[str, Sequence[str]]] = ()
    """By server: the last lines of its stderr, and what it printed to stdout."""
    earlier: int = 0
    """How many lines there are before these."""
    empty = "No such message."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a request, whatever rounds it took."""
        return [
            ("#", "server", "at", "", "method", "about", "time", "size", "answer"),
            *((_numbers(one), made.label, *_summed(one)) for made, one in self.lines),
        ]

    def __repr__(self) -> str:
        parts = [f"… {facts.count(self.earlier, 'earlier line')}"] if self.earlier else []
        parts.append(Table.__repr__(self))
        for label, lines in self.stderr:
            parts.append(f"{one_line(label)}:" if lines else f"{one_line(label)}: nothing")
            parts += [f"    {one_line(line)}" for line in lines]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        if not self.lines and not self.stderr:
            return Table._repr_html_(self)
        more = shown(f"… {facts.count(self.earlier, 'earlier line')}") if self.earlier else ""
        told = [panel(code(label), box("\n".join(lines) or "nothing")) for label, lines in self.stderr]
        return "".join([panel(more) if more else "", *(_line(made, one) for made, one in self.lines), *told])


@dataclass(frozen=True, slots=True, repr=False)
class ExchangeView:
    """What ``%mcp show`` shows: a request and its answer, whole, secrets masked."""

    made: Connection
    exchange: Exchange

    def __repr__(self) -> str:
        parts = [f"{one_line(self.made.label)} {_heading(self.exchange)}"]
        for frame in self.exchange.frames:
            parts += [f"{_side(frame)} {frame.number}", _json(self.exchange, frame)]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        frames = self.exchange.frames
        return panel(
            f"<strong>{code(self.made.label)}</strong> {code(_heading(self.exchange))}",
            *(f"{_side(frame)} {frame.number}{box(_json(self.exchange, frame))}" for frame in frames),
        )


@dataclass(frozen=True, slots=True, repr=False)
class TimingTable(Table):
    """What ``%mcp stats`` shows: for each tool that was called how long that took, and what it costs."""

    servers: Sequence[Connection]
    empty = "No tool of a server was called yet."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a tool."""
        return [
            ("server", "tool", "calls", "failed", "p50", "p95", "tokens"),
            *(
                (
                    made.label,
                    timing.tool,
                    str(timing.calls),
                    str(timing.failed),
                    facts.duration(timing.p50),
                    facts.duration(timing.p95),
                    _tokens(made, timing.tool),
                )
                for made in self.servers
                for timing in made.log.timings()
            ),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class FindingTable(Table):
    """What ``%mcp check`` shows: what cannot be used, and what is suspicious in the words of the rest."""

    servers: Sequence[Connection]
    offers: Sequence[CheckedOffer] = ()
    """What servers offer beside tools, as far as it was looked at."""
    flows: Sequence[tuple[Connection, Finding]] = ()
    """What tools can do together, each at the server where it ends."""
    empty = "Nothing is wrong or suspicious in the tools, prompts and resources of the connected servers."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a finding."""
        return [
            ("server", "severity", "kind", "name", "where", "what", "text"),
            *(
                row
                for made in self.servers
                for row in (
                    *_unusable(made, "tool", made.malformed),
                    *(
                        (made.label, str(standing), "tool", name, "", _HELD[str(standing)], "")
                        for name, standing in made.held.items()
                    ),
                    *(_finding(made, "tool", one) for one in made.findings),
                    *(_finding(made, "tools", one) for by, one in self.flows if by is made),
                    *(row for one in self.offers if one.made is made for row in one.rows()),
                )
            ),
        ]


@dataclass(frozen=True, slots=True)
class CheckedOffer:
    """One of the lists that a server has beside its tools, looked at."""

    made: Connection
    kind: str
    """``prompt``, ``resource`` or ``template``."""
    malformed: Sequence[Malformed] = ()
    findings: Sequence[Finding] = ()
    fault: str = ""
    """Why the list could not be read; empty where it could."""

    def rows(self) -> list[tuple[str, ...]]:
        """Its rows of the table."""
        unread = [(self.made.label, "unread", self.kind, "", "", self.fault, "")] if self.fault else []
        return [
            *unread,
            *_unusable(self.made, self.kind, self.malformed),
            *(_finding(self.made, self.kind, one) for one in self.findings),
        ]


def _unusable(made: Connection, kind: str, malformed: Iterable[Malformed]) -> list[tuple[str, ...]]:
    return [(made.label, "unusable", kind, bad.name, "", bad.reason, "") for bad in malformed]


def _finding(made: Connection, kind: str, one: Finding) -> tuple[str, ...]:
    return made.label, str(one.severity), kind, one.tool, one.where, one.what, one.excerpt


_HELD = {"new": "asks until it is accepted", "changed": "blocked until it is accepted"}


@dataclass(frozen=True, slots=True, repr=False)
class DiffView:
    """What ``%mcp diff`` shows: how one list of tools differs from another."""

    what: str
    changes: Changes

    def _head(self) -> str:
        return f"{self.what}: {visible(str(self.changes))}"

    def __repr__(self) -> str:
        return f"{self._head()}\n{self.changes.diff}".rstrip()

    def _repr_html_(self) -> str:
        rows = diff_rows(self.changes.diff)
        if rows is None:  # nothing differs
            return panel(shown(self._head()))
        return panel(shown(f"{self._head()} ({diff_size(rows)})"), diff_box(rows))


def _cells(one: Exchange) -> tuple[str, ...]:
    return (
        datetime.fromtimestamp(one.request.at, UTC).astimezone().strftime("%H:%M:%S.%f")[:-3],
        _side(one.request),
        ("… " if one.goes_on else "") + one.method or "answer to nothing kept",
        one.subject,
        "" if one.seconds is None else facts.duration(one.seconds),
        str(sum(frame.size for frame in one.frames)),
        _end(one),
    )


def _end(one: Exchange) -> str:
    """How an exchange ended, in words; empty for what has no end."""
    if one.fault:
        return _first_line(one.fault)
    if one.cancelled:
        return "cancelled"
    if one.answer is not None:
        return "wants input first" if one.wants_input else "ok"
    if not one.is_request:
        return ""
    return "no answer: the connection ended" if one.lost else "waiting"


def _summed(rounds: Rounds) -> tuple[str, ...]:
    """The cells of a request as a whole; one that took a single round is that round."""
    if len(rounds.exchanges) == 1:
        return _cells(rounds.first)
    at, side, method, subject, *_ = _cells(rounds.first)
    time = "" if rounds.seconds is None else facts.duration(rounds.seconds)
    standing = "" if rounds.last.lost else rounds.task
    ended = f"{_first_line(rounds.fault) or standing or _end(rounds.last)} · {rounds.count} rounds"
    return at, side, method, subject, time, str(rounds.size), ended


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0]


def _numbers(rounds: Rounds) -> str:
    numbers = [frame.number for one in rounds.exchanges for frame in one.frames]
    return _number(rounds.first) if len(rounds.exchanges) == 1 else f"{min(numbers)}…{max(numbers)}"


def _number(one: Exchange) -> str:
    return "→".join(str(frame.number) for frame in one.frames)


def _side(frame: Frame) -> str:
    return "→" if frame.sent else "←"


def _heading(one: Exchange) -> str:
    return _headed(_number(one), _cells(one))


def _headed(number: str, cells: tuple[str, ...]) -> str:
    at, side, method, subject, *rest = cells
    about = " · ".join(filter(None, rest))
    return one_line(f"{number} {side} {method} {subject}".rstrip() + f" · {at} · {about}")


def _line(made: Connection, rounds: Rounds) -> str:
    """A request that unfolds to its messages, or to its rounds where it took several."""
    listed = rounds.exchanges
    if len(listed) == 1:
        return _unfolding(made, listed[0])
    shown_last = listed[-_ROUNDS + 1 :] if len(listed) > _ROUNDS else listed[1:]
    between = len(listed) - 1 - len(shown_last)
    more = shown(f"… {facts.count(between, 'exchange')} between; %mcp log --all has them") if between else ""
    heading = f"{code(made.label)} {code(_headed(_numbers(rounds), _summed(rounds)))}"
    return folded(heading, _unfolding(made, listed[0]), more, *(_unfolding(made, one) for one in shown_last))


def _unfolding(made: Connection, one: Exchange) -> str:
    told = [_json(one, frame) for frame in one.frames]
    short = [text if len(text) <= _FOLDED else f"{text[:_FOLDED]}\n… %mcp show has it all" for text in told]
    frames = zip(one.frames, short, strict=True)
    return folded(
        f"{code(made.label)} {code(_heading(one))}", *(f"{_side(frame)}{box(text)}" for frame, text in frames)
    )


def _json(one: Exchange, frame: Frame) -> str:
    from tooldeck.mcp.export import masked

    return json_text(masked(frame, one))


def _tokens(made: Connection, name: str) -> str:
    tool = made.tools.get(name)
    return "" if tool is None else str(tool_tokens(tool))

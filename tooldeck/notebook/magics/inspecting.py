"""The words of ``%mcp`` that look into a server: its messages, times, faults, and what changed."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tooldeck.core.errors import TooldeckError
from tooldeck.core.result import ToolResult
from tooldeck.core.strangers import file_fault
from tooldeck.notebook import facts
from tooldeck.notebook.lines import Mistake, fit_text, read_line, read_pairs
from tooldeck.notebook.magics.base import DeckMagicsBase, found_in
from tooldeck.notebook.say import say
from tooldeck.notebook.wire import CheckedOffer, DiffView, ExchangeView, FindingTable, TimingTable, WireLog

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection
    from tooldeck.mcp.frames import Exchange
    from tooldeck.mcp.rounds import Rounds

__all__ = ["INSPECT_WORDS", "LOG_FLAGS", "LOG_OPTIONS", "InspectingLines"]

INSPECT_WORDS = ("log", "show", "replay", "request", "ping", "stats", "diff", "check", "approve", "forget")
"""The words that this file adds to ``%mcp``."""
LOG_FLAGS = ("stderr", "all")
"""Those that take none."""
LOG_OPTIONS = ("search", "last", "export")
"""The options of ``%mcp log`` that take a value."""
_LINES = 50
# Lines of the log, and of stderr, that are shown unless told otherwise.


class InspectingLines(DeckMagicsBase):
    """Reads the lines; a server need not be named where only one is connected."""

    def _log(self, rest: str) -> WireLog | None:
        read = read_line("%mcp log", rest, LOG_FLAGS, LOG_OPTIONS)
        servers = self._servers(read.words)
        wanted, every = str(read.options.get("search", "")), "all" in read.options
        if "export" in read.options:
            found = [(made, one) for made in servers for one in made.log.exchanges(wanted)]
            found.sort(key=lambda line: line[1].request.at)
            return self._write_log(found, str(read.options["export"]))
        lines = [(made, one) for made in servers for one in _lines(made, wanted, every=every)]
        lines.sort(key=lambda line: line[1].first.request.at)
        last = _count("--last", str(read.options.get("last", _LINES)))
        beside: list[tuple[str, list[str]]] = []
        if "stderr" in read.options:
            for made in servers:
                beside.append((f"stderr of {made.label}", made.session.stderr(last)))
                if made.session.stray_output():
                    beside.append((f"stray lines on stdout of {made.label}", made.session.stray_output()))
        most = len(lines) if every and "last" not in read.options else last
        return WireLog(lines[max(0, len(lines) - most) :], beside, max(0, len(lines) - most))

    def _write_log(self, found: list[tuple[Connection, Exchange]], file: str) -> None:
        from tooldeck.mcp.export import write_log

        try:
            count = write_log(found, file)
        except OSError as error:
            raise Mistake(f"%mcp log cannot write {file!r}: {file_fault(error)}.") from None
        say(f"Wrote {facts.count(count, 'exchange')} to {file}, secrets masked.")

    def _show(self, rest: str) -> ExchangeView:
        made, rest = self._one_of("show", rest)
        number = _message("show", rest)
        with told_as_mistake():
            return ExchangeView(made, made.log[number])

    def _replay(self, rest: str) -> ToolResult:
        """Call again what was called before, with today's tool, through the whole pipeline."""
        made, rest = self._one_of("replay", rest)
        word, _, pairs = rest.partition(" ")
        number = _message("replay", word)
        with told_as_mistake():
            tool, arguments = made.past_call(number)
        edits = read_pairs(f"%mcp replay {number}", pairs)
        with self.notebook.calling():
            return self.deck.call(tool, {**arguments, **fit_text(tool, edits)})

    def _request(self, rest: str) -> Any:
        made, rest = self._one_of("request", rest)
        method, _, text = rest.partition(" ")
        if not method:
            raise Mistake(
                "%mcp request needs a method of the protocol, as in %mcp request resources/list; JSON with "
                "its parameters may follow."
            )
        try:
            params = json.loads(text) if text.strip() else None
        except ValueError as error:
            raise Mistake(f"%mcp request cannot read the parameters as JSON: {error}.") from None
        if params is not None and not isinstance(params, dict):
            raise Mistake('%mcp request wants the parameters as a JSON object, as in {"uri": "demo://x"}.')
        return self.notebook.mcp.request(made.label, method, params)

    def _ping(self, rest: str) -> None:
        made = self._only("ping", rest)
        say(f"{made.label} answered within {facts.duration(self.notebook.mcp.ping(made.label))}.")

    def _stats(self, rest: str) -> TimingTable:
        return TimingTable(self._servers(tuple(rest.split())))

    def _diff(self, rest: str) -> DiffView:
        from tooldeck.mcp.changes import compare

        made, label = self._one_of("diff", rest)
        if not label:
            return DiffView(f"{made.label}, the last change of its tools", made.past.changes())
        other = found_in(self.notebook.mcp, label)
        now = [{tool.name: tool.definition for tool in one.session.tools} for one in (made, other)]
        return DiffView(f"{made.label} and {other.label}", compare(*now))

    def _check(self, rest: str) -> FindingTable:
        from tooldeck.mcp.flows import toxic_flows

        servers = self._servers(tuple(rest.split()))
        offers = [one for made in servers for one in _offers(made)]
        flows = [(made, one) for made, one in toxic_flows(self.deck.servers()) if made in servers]
        return FindingTable(servers, offers, flows)

    def _approve(self, rest: str) -> DiffView | None:
        made, line = self._one_of("approve", rest)
        names = line.split()
        for name in names:
            with told_as_mistake():
                made[name]
        if not made.held:
            return say(f"All tools of {made.label} are just as they were accepted.")
        with self.notebook.calling():
            if self.notebook.mcp.approve(made.label, *names):
                return say(f"Accepted for {made.label}.")
        return DiffView(f"{made.label}, not accepted", self.notebook.mcp.trust.waiting(made, names))

    def _forget(self, rest: str) -> None:
        made = self._only("forget", rest)
        self.notebook.mcp.forget(made.label)
        say(f"Nothing of {made.label} is accepted any more: when it is connected next, it is taken as new.")

    # -- servers ---

    def _servers(self, labels: tuple[str, ...]) -> list[Connection]:
        """The servers that a line names; all where it names none."""
        if not labels:
            return self.deck.servers()
        return [found_in(self.notebook.mcp, label) for label in labels]

    def _only(self, verb: str, rest: str) -> Connection:
        """The server that a line names and nothing else, or the only one."""
        made, more = self._one_of(verb, rest)
        if more:
            found_in(self.notebook.mcp, more)  # says what there is
            raise Mistake(f"%mcp {verb} takes one label of a server, got {rest.strip()!r}.")
        return made

    def _one_of(self, verb: str, rest: str) -> tuple[Connection, str]:
        """The server that a line begins with, or the only one, and what follows."""
        servers = {made.label: made for made in self.deck.servers()}
        word, _, more = rest.strip().partition(" ")
        if word in servers:
            return servers[word], more.strip()
        if len(servers) == 1:
            return next(iter(servers.values())), rest.strip()
        if not servers:
            raise Mistake("No server is connected; try %mcp connect demo.")
        given = f", and {word!r} is none" if word else ""
        raise Mistake(f"%mcp {verb} needs the label of a server first: {', '.join(servers)}{given}.")


@contextmanager
def told_as_mistake() -> Generator[None]:
    """A KeyError of ours, whose text is a sentence, as a `Mistake`."""
    try:
        yield
    except KeyError as error:
        raise Mistake(str(error.args[0])) from None


def _lines(made: Connection, wanted: str, *, every: bool) -> list[Rounds]:
    """The lines of a server's log with this text in one of their rounds; each round by itself for `every`."""
    from tooldeck.mcp.rounds import Rounds, in_rounds

    found = made.log.exchanges(wanted)
    if every:
        return [Rounds((one,)) for one in found]
    numbers = {one.number for one in found}
    return [
        one
        for one in in_rounds(made.log.exchanges())
        if any(part.number in numbers for part in one.exchanges)
    ]


def _offers(made: Connection) -> list[CheckedOffer]:
    """What a server offers beside tools, read where nobody has; a list that cannot be read hides no other."""
    from tooldeck.mcp.life import State
    from tooldeck.mcp.lint import gravest_first

    checked: list[CheckedOffer] = []
    for offer in (made.prompts, made.resources, made.resources.templates):
        try:
            entries = offer.values()
        except TooldeckError as error:
            checked.append(CheckedOffer(made, offer.what, fault=str(error)))
            if made.state is not State.READY:
                break  # the others would say the same
            continue
        found = gravest_first(one for entry in entries for one in entry.findings)
        checked.append(CheckedOffer(made, offer.what, offer.malformed, found))
    return checked


def _message(verb: str, word: str) -> int:
    if not word.isdecimal():
        raise Mistake(
            f"%mcp {verb} needs the number of a message, as in %mcp {verb} 12; %mcp log lists them."
        )
    return int(word)


def _count(option: str, text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise Mistake(f"{option} must be a whole number above 0, not {text!r}.")
    return int(text)

"""``%mcp``: the tools of MCP servers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypedDict

from IPython.core.magic import line_magic, magics_class, no_var_expand

from tooldeck.core.credentials import without_logins
from tooldeck.guards.text import one_line
from tooldeck.notebook.lines import Mistake, as_typed, choose, read_line, split
from tooldeck.notebook.listing import SessionTable, ToolTable
from tooldeck.notebook.magics.base import found_in, in_one_sentence
from tooldeck.notebook.magics.importing import ImportLines
from tooldeck.notebook.magics.inspecting import INSPECT_WORDS
from tooldeck.notebook.magics.offers import OFFER_WORDS, OfferLines
from tooldeck.notebook.magics.serving import ServingLines
from tooldeck.notebook.magics.signing import PROGRAM_OPTIONS, SIGN_WORDS, SigningLines, program_of
from tooldeck.notebook.magics.tasks import TASK_WORDS, TaskLines
from tooldeck.notebook.magics.telling import TELL_WORDS, TellingLines
from tooldeck.notebook.patience import told_if_slow
from tooldeck.notebook.places import working_here
from tooldeck.notebook.say import say
from tooldeck.notebook.show import show_session

if TYPE_CHECKING:
    from tooldeck.mcp.session import SessionSettings

__all__ = ["FLAGS", "OPTIONS", "WORDS", "ServerMagics"]

WORDS = (
    *("connect", "list", "tools", "close", "reconnect", "import", "export", "serve"),
    *(*SIGN_WORDS, *TASK_WORDS, *INSPECT_WORDS, *OFFER_WORDS, *TELL_WORDS),
)
"""What may follow ``%mcp``."""
OPTIONS = (
    *("label", "reads", "timeout", "connect_timeout", "env", "mode", "transport", "roots", "rate"),
    *PROGRAM_OPTIONS,
)
"""The options of ``%mcp connect`` that take a value."""
FLAGS = ("trust",)
"""Those that take none."""


_MEANT = {
    **dict.fromkeys(("disconnect", "remove", "kill", "exit", "quit"), "close"),
    "stop": "close, which ends a connection, or serve stop",
    **dict.fromkeys(("add", "start", "open"), "connect"),
    **dict.fromkeys(("servers", "status", "ls"), "list"),
    **dict.fromkeys(("restart", "reload"), "reconnect"),
    **dict.fromkeys(("lint", "scan", "audit"), "check"),
}
# Words of other programs, whose letters lead to the wrong one of ours.


@magics_class
class ServerMagics(TaskLines, SigningLines, OfferLines, TellingLines, ImportLines, ServingLines):
    """Magics for MCP servers."""

    @no_var_expand
    @line_magic("mcp")
    @in_one_sentence
    def mcp_line(self, line: str) -> Any:
        """Connect MCP servers and look at them.

        ``%mcp connect [--label NAME] [--reads TOOL,…] [--timeout SECONDS] [--connect-timeout SECONDS]
        [--env NAME=VALUE] [--mode auto|legacy] [--transport auto|http|sse] [--roots FOLDER,…]
        [--rate [TOOL=]CALLS/TIME,…] [--trust] COMMAND… | URL | demo`` brings the server's tools into the
        deck; ``--reads`` names tools that you declare to only read, so that they need no approval,
        ``--trust`` believes the server about which do, ``--rate 10/s`` says how often its tools may be
        called, ``--rate search=1/s`` how often one of them, ``--mode legacy`` speaks the protocol up to
        2025-11-25. ``%mcp list`` shows the servers, ``%mcp tools [LABEL]`` their tools, ``%mcp close
        [LABEL]`` ends one or all, ``%mcp reconnect LABEL`` starts one again.

        ``%mcp import`` lists the files in which other programs keep their servers, ``%mcp import
        PROGRAM|FILE`` the servers in one, ``%mcp import PROGRAM|FILE NAME… | --all`` connects them: each
        command is shown and asked about, secrets are asked for and written nowhere.

        ``%mcp export [LABEL…] [--for PROGRAM] [--to FILE]`` shows connected servers as the list of another
        program, or writes it into a new file, with placeholders in place of all values of variables and
        headers.

        A URL that wants to know who asks shows the page to sign in at. A program signs in as itself with
        ``--client-id NAME --issuer URL [--secret-env VARIABLE | --key-file FILE]``; a secret that no
        variable has is asked for. ``%mcp login [LABEL]`` signs in anew,
        ``%mcp logout [LABEL]`` gives the tokens back and closes the connection.
        ``%mcp watch [LABEL] [FILE…]`` starts a local server again whenever its files change, ``%mcp watch
        LABEL off`` no longer.

        ``%mcp tasks`` lists long calls that a server made tasks of, ``%mcp tasks cancel TASK`` ends one.

        ``%mcp check [LABEL]`` shows what is wrong or suspicious in the words of tools, prompts, resources and
        templates, ``%mcp approve LABEL [TOOL…]`` asks about definitions that are new or changed, ``%mcp
        forget LABEL`` takes back what was accepted, so that the server is new when it is connected next.

        ``%mcp log [LABEL…] [--search TEXT] [--last N] [--stderr]`` lists the messages of the protocol, one
        line a call whatever rounds it took; ``--all`` has all that is kept, each round on a line of its own.
        ``%mcp log … --export FILE`` writes them as JSON lines, or as HAR into a ``.har``. ``%mcp show [LABEL]
        N`` shows a message and its answer, ``%mcp replay [LABEL] N [key=value …]`` calls a tool again as it
        was called there. ``%mcp stats`` has the times of all tools, ``%mcp diff LABEL [OTHER]`` what differs
        between two lists of tools. ``%mcp ping`` says whether a server answers, ``%mcp request [LABEL] METHOD
        [JSON]`` sends any other request.

        ``%mcp prompts [LABEL…]`` lists prompts, ``%mcp prompt [LABEL] NAME [name=value …]`` fills one in,
        with a form where it has gaps and the line fills none. ``%mcp resources [LABEL…]`` lists resources and
        templates, ``%mcp read [LABEL] ADDRESS | TEMPLATE [name=value …] [--save FOLDER]`` reads one,
        ``%mcp subscribe [LABEL] ADDRESS`` tells of its changes until ``%mcp unsubscribe``.

        ``%mcp roots [LABEL] [FOLDER… | none]`` shows or changes the folders that a server is told of, ``%mcp
        level [LABEL] LEVEL`` how grave a thing has to be for it to say so.
        """
        verb, _, rest = line.strip().partition(" ")
        if not verb:
            raise Mistake(f"%mcp needs a word: {', '.join(WORDS)}; for example %mcp connect demo.")
        if verb in _MEANT:
            raise Mistake(f"%mcp does not know {verb!r}; did you mean {_MEANT[verb]}?")
        choose("%mcp", verb, WORDS)
        return getattr(self, f"_{verb}")(rest.strip())

    def _connect(self, rest: str) -> None:
        options, target = _own_options(rest)
        if not target:
            raise Mistake("%mcp connect needs a command, a URL or the word demo, as in %mcp connect demo.")
        with working_here(), self._telling(" ".join(target)):
            made = self.notebook.mcp.connect(
                target if len(target) > 1 else target[0],
                label=options.get("label"),
                reads=[name for name in options.get("reads", "").split(",") if name],
                trust="trust" in options,
                **_rates(options.get("rate", "")),
                **_settings(options),
            )
        show_session(self.notebook, made)

    def _list(self, rest: str) -> SessionTable:
        if rest:
            raise Mistake(f"%mcp list takes nothing after it, not {rest!r}; %mcp tools LABEL lists tools.")
        return SessionTable(tuple(self.deck.servers()))

    def _tools(self, rest: str) -> ToolTable:
        label = rest or None
        if label is not None:
            found_in(self.notebook.mcp, label)
        found = [
            tool
            for tool in self.deck.tools.values()
            if tool.origin.kind == "mcp" and label in {None, tool.origin.label}
        ]
        return ToolTable(tuple(found), self.deck, "No server is connected; try %mcp connect demo.")

    def _close(self, rest: str) -> None:
        labels = [rest] if rest else [made.label for made in self.deck.servers()]
        for label in labels:
            found_in(self.notebook.mcp, label)
            self.notebook.mcp.close(label)
        say(f"Closed {', '.join(labels)}." if labels else "No server is connected.")

    def _reconnect(self, rest: str) -> None:
        if not rest:
            raise Mistake("%mcp reconnect needs the label of a server; %mcp list shows them.")
        label = found_in(self.notebook.mcp, rest).label
        with working_here(), self._telling(label):
            made = self.notebook.mcp.reconnect(label)
        show_session(self.notebook, made)

    def _telling(self, target: str) -> AbstractContextManager[None]:
        words = "it has not answered yet; interrupt the cell to give up"
        return told_if_slow(self.notebook.bars, f"connecting {one_line(without_logins(target))[:80]}", words)


def _own_options(rest: str) -> tuple[dict[str, str], list[str]]:
    """Our options, and the words of the target with its own options.

    Ours stand before a command, which may have options of its own; an address and the demo have none.
    """
    words = split(rest)
    ours = _taken(words)
    if words and (words[0] == "demo" or "://" in words[0]):
        target = words.pop(0)
        ours += _taken(words)
        words.insert(0, target)
    quoted = " ".join("'" + word.replace("'", "'\"'\"'") + "'" for word in ours)
    read = read_line("%mcp connect", quoted, FLAGS, OPTIONS)
    return {name: str(value) for name, value in read.options.items()}, words


def _taken(words: list[str]) -> list[str]:
    """The options at the beginning of these words, with their values, taken out of them."""
    ours: list[str] = []
    while words and words[0].startswith("--"):
        word = words.pop(0)
        ours.append(word)
        if "=" not in word and word.removeprefix("--") not in FLAGS and words:
            ours.append(words.pop(0))
    return ours


def _environment(text: str) -> dict[str, str] | None:
    if not text:
        return None
    found: dict[str, str] = {}
    for pair in text.split(","):
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise Mistake(f"--env wants NAME=VALUE, several separated by commas, not {pair!r}.")
        found[name.strip()] = value
    return found


class _Rates(TypedDict, total=False):
    rate: str
    rates: dict[str, str]


def _rates(text: str) -> _Rates:
    """The limits that a line names: that of the server has no name, those of its tools have theirs."""
    found: _Rates = {}
    for part in filter(None, text.split(",")):
        name, equals, rate = part.rpartition("=")
        if equals:
            found.setdefault("rates", {})[name.strip()] = rate
        else:
            found["rate"] = rate
    return found


def _settings(options: dict[str, str]) -> SessionSettings:
    found: SessionSettings = {
        "mode": options.get("mode", "auto"),
        "transport": options.get("transport", "auto"),
        "env": _environment(options.get("env", "")),
        "roots": [folder for folder in options.get("roots", "").split(",") if folder],
    }
    if (program := program_of(options)) is not None:
        found["sign_in"] = program
    if "timeout" in options:
        found["timeout"] = _seconds("timeout", options["timeout"])
    if "connect_timeout" in options:
        found["connect_timeout"] = _seconds("connect_timeout", options["connect_timeout"])
    return found


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise Mistake(f"{as_typed(name)} must be a number of seconds above 0, not {text!r}.")
    return seconds

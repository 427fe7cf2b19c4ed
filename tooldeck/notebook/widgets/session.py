"""The card of an MCP session: how it is, what its tools may do, why it died, and the way back."""

from collections.abc import Callable
from typing import Any

import traitlets

from tooldeck.core.approval import Word
from tooldeck.core.tokens import tool_tokens
from tooldeck.core.tool import Tool
from tooldeck.guards.text import visible
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.pins import Standing
from tooldeck.notebook import facts
from tooldeck.notebook.pieces import box, code, panel, shown, table
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces
from tooldeck.policy import Policy

__all__ = ["SessionCard"]

_LOG = 12
"""Lines of the server's stderr that are shown."""


class SessionCard(Panel):
    """One MCP server; `refresh` brings it up to date, from any thread.

    `reconnect` and `close` are called with the label when their buttons are pressed; they may block, and what
    they raise is shown on the card. `reconnect` returns the new connection.
    """

    _esm = script("session")
    _css = style("session")
    session = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        made: Connection,
        policy: Policy | None = None,
        *,
        reconnect: Callable[[str], Connection],
        close: Callable[[str], object],
    ) -> None:
        self.made = made
        self._policy = policy
        self._reconnect = reconnect
        self._close = close
        self._busy = ""
        self._trouble = ""
        self._known: tuple[Tool, ...] = ()
        self._tokens = 0
        super().__init__()
        self.refresh()

    @property
    def label(self) -> str:
        """The label of the connection."""
        return self.made.label

    def refresh(self, made: Connection | None = None) -> None:
        """Show how the session is now, or another connection of the same label."""
        self.made = made or self.made.latest
        self.session = self._facts()

    def hello(self) -> dict[str, Any]:
        """A view that opens later sees how the session is by then."""
        self.refresh()
        return {}

    def heard(self, content: dict[str, Any]) -> None:
        """Reconnect or close, one at a time."""
        action = content.get("type")
        if action not in ("reconnect", "close") or self._busy:
            return
        self._busy, self._trouble = action, ""
        self.refresh()
        try:
            if action == "close":
                self._close(self.label)
            else:
                self.made = self._reconnect(self.label)
        except Exception as fault:  # noqa: BLE001 - a button has nobody above it to tell
            self._trouble = str(fault)
        finally:
            self._busy = ""
            self.refresh()

    def _facts(self) -> dict[str, Any]:
        made, session = self.made, self.made.session
        return {
            "label": shown_pieces(made.label),
            "state": str(made.state),
            "server": shown_pieces(f"{session.server_name} {session.server_version}".strip()),
            "facts": self._counts(),
            "target": shown_pieces(str(session.target)),
            "reason": shown_pieces(made.reason),
            "log": shown_pieces("\n".join(session.stderr(_LOG))),
            "tools": [
                {
                    "name": shown_pieces(tool.name),
                    "powers": _powers(tool),
                    "asks": self._word(name, tool),
                    "marks": facts.marks(made.findings_of(tool)),
                    "about": shown_pieces(tool.description),
                }
                for name, tool in list(made.tools.items())
            ],
            "notes": [
                shown_pieces(note) for note in [*made.notes, *([self._trouble] if self._trouble else [])]
            ],
            "busy": self._busy,
        }

    def _words(self, name: str, tool: Tool) -> list[str]:
        """The same, and what the lint found, where only text is shown."""
        return [self._word(name, tool), *facts.marks(self.made.findings_of(tool))]

    def _word(self, name: str, tool: Tool) -> str:
        """Whether a call is asked about, in one word; `name` is the server's own."""
        if self.made.held.get(name) is Standing.CHANGED:
            return "blocked: changed"
        if self._policy is None:
            return ""
        verdict = self._policy.static(tool)
        if verdict is None:
            return "by arguments"
        return {Word.ALLOW: "runs", Word.ASK: "asks", Word.DENY: "denied"}[verdict.word]

    def _counts(self) -> str:
        made = self.made
        tools = list(made.tools.values())
        tokens = self._counted(tuple(tools))
        protocol = [visible(made.session.protocol)] if made.session.protocol else []
        words = [*protocol, facts.count(len(tools), "tool"), f"about {facts.count(tokens, 'token')}"]
        rate = made.declared.rate
        if rate is not None:
            words.append(f"at most {rate.words}")
        return " · ".join(words)

    def _counted(self, tools: tuple[Tool, ...]) -> int:
        """The tokens that the tools cost; counted only when the tools change, since every call refreshes."""
        if self._known != tools:
            self._known = tools
            self._tokens = sum(tool_tokens(tool) for tool in tools)
        return self._tokens

    def text(self) -> str:
        """The session and its tools as text."""
        made = self.made
        target = visible(str(made.session.target))
        lines = [f"MCP {visible(made.label)}: {made.state} · {self._counts()} · {target}"]
        if made.reason:
            lines.append(visible(f"  {made.reason}"))
        lines += [
            "  " + " · ".join((f"{visible(tool.name)}: {_powers(tool)}", *self._words(name, tool)))
            for name, tool in made.tools.items()
        ]
        lines += [visible(f"  note: {note}") for note in made.notes]
        return "\n".join(lines)

    def html(self) -> str:
        """The same as static HTML."""
        made = self.made
        rows = [
            (code(tool.name), shown(_powers(tool)), shown(" · ".join(self._words(name, tool))))
            for name, tool in made.tools.items()
        ]
        return panel(
            f"<strong>MCP {code(made.label)}</strong> {shown(str(made.state))} · {shown(self._counts())}",
            code(str(made.session.target)),
            box(made.reason) if made.reason else "",
            table(rows),
            *(f"note: {code(note)}" for note in made.notes),
        )


def _powers(tool: Tool) -> str:
    """What the tool may do, how often where that is limited for it alone, and which page shows it."""
    rate = [] if tool.rate is None else [f"at most {tool.rate.words}"]
    return " · ".join([facts.powers(tool), *rate, *facts.paging(tool)])

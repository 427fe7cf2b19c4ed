"""The card of a served deck: what other programs see, how they are told of it, and their questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets
import traitlets

from tooldeck.core.tool import Tool
from tooldeck.notebook import facts, pieces
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces
from tooldeck.notebook.widgets._tray import Tray
from tooldeck.policy import Policy
from tooldeck.serve.serving import HIDDEN, Serving

__all__ = ["ServingCard"]


class ServingHead(Panel):
    """The head of the card. The token is no part of what is stored: a page asks for it when told to."""

    _esm = script("serving")
    _css = style("serving")
    serving = traitlets.Dict().tag(sync=True)

    def __init__(self, made: Serving, policy: Callable[[], Policy], stop: Callable[[], object]) -> None:
        self.made = made
        self._policy = policy
        self._stop = stop
        super().__init__()
        self.refresh()

    def refresh(self) -> None:
        """Show how things are now. Safe from any thread."""
        self.serving = self._facts()

    def hello(self) -> dict[str, Any]:
        """A view that opens later sees how things are by then."""
        self.refresh()
        return {}

    def heard(self, content: dict[str, Any]) -> None:
        """Stop, or tell this page the token."""
        if content.get("type") == "token" and self.made.running and self.made.token is not None:
            self.send({"type": "token", "token": self.made.token})
        elif content.get("type") == "stop":
            self._stop()

    def _facts(self) -> dict[str, Any]:
        made, policy = self.made, self._policy()
        return {
            "running": made.running,
            "name": shown_pieces(made.name),
            "url": made.url,
            "facts": self._counts(),
            "token": made.token is not None,
            "dots": HIDDEN,
            "forms": [["mcp.json", made.mcp_json()], ["Claude Code", made.claude_command()]],
            "tools": [
                {
                    "name": shown_pieces(_label(tool)),
                    "powers": facts.powers(tool),
                    "asks": facts.asks(tool, policy),
                    "about": shown_pieces(tool.description),
                }
                for tool in made.tools
            ],
            "clients": [
                [shown_pieces(who), facts.count(calls, "call")] for who, calls in made.clients.items()
            ],
        }

    def _counts(self) -> str:
        shown, hidden = len(self.made.tools), len(self.made.hidden)
        return f"{facts.count(shown, 'tool')} shown, {hidden} not"

    def text(self) -> str:
        """The story without what changes from run to run: the port and the token."""
        made, policy = self.made, self._policy()
        door = "without a token" if made.token is None else f"with a token ({HIDDEN})"
        lines = [f"Serving {made.name!r} to MCP clients of this machine, {door}: {self._counts()}."]
        lines += [
            f"  {_label(tool)}: {facts.powers(tool)}; {facts.asks(tool, policy)}" for tool in made.tools
        ]
        return "\n".join(lines)


class ServingCard(ipywidgets.VBox):
    """A served deck; `stop` is called by its button. Questions about calls go into it by `put`."""

    def __init__(self, made: Serving, policy: Callable[[], Policy], stop: Callable[[], object]) -> None:
        self.head = ServingHead(made, policy, stop)
        self._tray = Tray()
        super().__init__([self.head, self._tray])
        self.add_class("td-servingcard")

    def put(self, card: Any) -> None:
        """Put a question into the card; answered ones make room in time."""
        self._tray.put(card)

    def refresh(self) -> None:
        """Show how things are now. Safe from any thread."""
        self.head.refresh()

    def __repr__(self) -> str:
        return self.head.text()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        return {**bundle, "text/plain": repr(self), "text/html": pieces.box(repr(self))}


def _label(tool: Tool) -> str:
    return f"{tool.name} ({', '.join(tool.actions)})" if tool.actions else tool.name

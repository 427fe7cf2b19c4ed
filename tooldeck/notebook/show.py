"""Putting cards on the screen: widgets where they are installed, the same facts as HTML and text else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from IPython.display import display

from tooldeck.core.caller import calling
from tooldeck.core.errors import SetupError
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Source
from tooldeck.notebook import pieces, render
from tooldeck.notebook.approvals import shown_in
from tooldeck.notebook.listing import ToolTable, findings_of
from tooldeck.notebook.reprs import serving_text
from tooldeck.notebook.say import say

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection
    from tooldeck.notebook.extension import Notebook
    from tooldeck.serve.serving import Serving

__all__ = ["Static", "show_serving", "show_session", "show_tool", "show_trace"]

_hinted = False


class Static:
    """Facts as text and as HTML, for notebooks without widgets."""

    def __init__(self, text: str, html: str) -> None:
        self._text, self._html = text, html

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html


def show_tool(notebook: Notebook, tool: Tool, notes: Sequence[str] = ()) -> None:
    """Display a tool's card, alive for as long as the notebook runs, with notes for its author."""
    try:
        from tooldeck.notebook.widgets.card import ToolCard
    except SetupError as missing:
        _hint(missing)
        policy = notebook.deck.policy
        told = tool, policy, notes, findings_of(notebook.deck, tool)
        display(Static(render.tool_text(*told), render.tool_html(*told)))
        return
    card: Any = ToolCard(
        tool,
        lambda arguments: run_from_form(notebook, card, arguments),
        policy=notebook.deck.policy,
        notes=notes,
        app=notebook.apps.card,
        look=lambda shown: findings_of(notebook.deck, shown),
    )
    notebook.live.follow(card)
    display(card)


def run_from_form(notebook: Notebook, card: Any, arguments: dict[str, Any]) -> None:
    """Run a card's tool with the arguments of its form; approvals appear in the card's own tray."""
    with calling(Source.FORM), shown_in(card.put):
        notebook.deck.call(card.tool, arguments)


def show_trace(result: ToolResult) -> None:
    """Display the stages of a call."""
    try:
        from tooldeck.notebook.widgets.trace import TraceView
    except SetupError as missing:
        _hint(missing)
        display(Static(render.trace_text(result), render.trace_html(result)))
        return
    display(TraceView(result))


def _hint(missing: SetupError) -> None:
    """Say once what is not installed."""
    global _hinted  # noqa: PLW0603 - once per process is the point
    if not _hinted:
        _hinted = True
        say(missing)


def show_session(notebook: Notebook, made: Connection) -> None:
    """Display the card of an MCP server."""
    try:
        from tooldeck.notebook.widgets.session import SessionCard
    except SetupError as missing:
        _hint(missing)
        for note in made.notes:
            say(note)
        display(ToolTable(tuple(made.tools.values()), notebook.deck))
        return
    card = SessionCard(made, notebook.deck.policy, reconnect=notebook.mcp.reconnect, close=notebook.mcp.close)
    notebook.live.follow_session(card)
    display(card)


def show_serving(notebook: Notebook, made: Serving) -> None:
    """Display the card of the served deck; questions of its clients appear in it."""
    try:
        from tooldeck.notebook.widgets.serving import ServingCard
    except SetupError as missing:
        _hint(missing)
        text = serving_text(made)
        display(Static(text, pieces.box(text)))
        return
    card = ServingCard(made, lambda: notebook.deck.policy, made.stop)
    notebook.live.follow_serving(card)
    notebook.served_host.show = card.put
    made.on_stop = card.refresh
    display(card)

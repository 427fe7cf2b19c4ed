"""How calls ended: the last result, or a list of earlier ones."""

from collections.abc import Sequence
from typing import Any

import traitlets

from tooldeck.core.result import ToolResult
from tooldeck.notebook import facts, outcomes, pieces, render
from tooldeck.notebook.states import state_of
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces

__all__ = ["ResultView"]


class ResultView(Panel):
    """Results, newest first; `one` shows a single one, open."""

    _esm = script("result")
    _css = style("result")
    results = traitlets.List().tag(sync=True)
    single = traitlets.Bool(default_value=False).tag(sync=True)
    empty = traitlets.Unicode("").tag(sync=True)

    def __init__(self, *, one: bool = False, empty: str = "No calls yet.", keep: int = 10) -> None:
        self._keep = 1 if one else keep
        self._shown: list[ToolResult] = []
        super().__init__(single=one, empty=empty)

    def add(self, result: ToolResult) -> None:
        """Put a result before the others; the oldest ones go."""
        self.show([result, *self._shown])

    def show(self, results: Sequence[ToolResult]) -> None:
        """Show these, the newest first."""
        self._shown = list(results)[: self._keep]
        self.results = [_facts(result) for result in self._shown]

    def text(self) -> str:
        """All of them as text."""
        return "\n".join(render.result_text(result) for result in self._shown) or self.empty

    def html(self) -> str:
        """All of them as static HTML."""
        return "".join(render.result_html(result) for result in self._shown) or pieces.shown(self.empty)


def _facts(result: ToolResult) -> dict[str, Any]:
    """What the page is told of a result."""
    text, more = render.outcome(result)
    why = outcomes.why_outside(result)
    return {
        "id": result.call.id,
        "state": state_of(result.status),
        "line": render.result_line(result)[2:],
        "call": [[facts.call_line(result.call.name, result.call.arguments), False]],
        "text": [*shown_pieces(text), [more, False]],
        "length": facts.count(len(text), "character"),
        "untrusted": result.call.tool is not None and outcomes.from_outside(result),
        "pictures": [{"mime": mime, "data": data} for mime, data in outcomes.pictures(result)],
        "files": [
            {"line": shown_pieces(file.line), "name": file.name, "data": file.data}
            for file in outcomes.kept(result)
        ],
        "notes": [
            *([shown_pieces(f"untrusted: {why}")] if why else []),
            *(shown_pieces(f"note: {note}") for note in result.notes),
        ],
    }

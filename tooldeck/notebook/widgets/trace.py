"""The trace of one call: a waterfall of its stages with times and decisions."""

from typing import Any

import traitlets

from tooldeck.core.result import ToolResult
from tooldeck.notebook import facts, outcomes, render, waterfall
from tooldeck.notebook.states import state_of
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces

__all__ = ["TraceView", "trace_facts"]


class TraceView(Panel):
    """What happened in a call, stage by stage; `show` puts another call in its place."""

    _esm = script("trace")
    _css = style("trace")
    trace = traitlets.Dict().tag(sync=True)

    def __init__(self, result: ToolResult) -> None:
        self.result = result
        super().__init__(trace=trace_facts(result))

    def show(self, result: ToolResult) -> None:
        """Show another call."""
        self.result = result
        self.trace = trace_facts(result)

    def text(self) -> str:
        """The stages as lines with bars of characters."""
        return render.trace_text(self.result)

    def html(self) -> str:
        """The stages as a static table."""
        return render.trace_html(self.result)


def trace_facts(result: ToolResult) -> dict[str, Any]:
    """What the page is told of a call."""
    return {
        "name": shown_pieces(outcomes.called(result)),
        "state": state_of(result.status),
        "line": render.result_line(result)[2:],
        "error": shown_pieces(result.error or ""),
        "notes": [shown_pieces(f"{note.stage}: {note.text}") for note in result.notes],
        "end": facts.duration(result.seconds),
        "rows": [_row(row) for row in waterfall.rows(result)],
    }


def _row(row: waterfall.Row) -> dict[str, Any]:
    begins, ends = f"begins after {facts.duration(row.start)}", f"ends {facts.duration(row.seconds)} later"
    return {
        "name": shown_pieces(row.name),
        "kind": row.kind,
        "depth": row.depth,
        "time": facts.duration(row.own),
        "decision": shown_pieces(row.decision),
        "reach": list(row.reach),
        "bars": [list(bar) for bar in row.bars],
        "detail": f"{begins}, {ends}, {facts.duration(row.own)} of it its own",
    }

"""A run of a model while it goes on: its words, its calls with their traces, a box to steer it, a stop."""

from typing import Any

import traitlets

from tooldeck.core.events import Event
from tooldeck.core.result import ToolResult
from tooldeck.core.run_result import RunResult
from tooldeck.guards.text import visible
from tooldeck.loops.timeline import Stretch, run_svg, run_text, timeline
from tooldeck.notebook import facts, outcomes, pieces, render
from tooldeck.notebook.run_story import Entry, RunStory, call_facts, call_text, why_not
from tooldeck.notebook.states import state_of
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._pace import Pace
from tooldeck.notebook.widgets._panel import Panel, shown_pieces
from tooldeck.notebook.widgets.trace import trace_facts

__all__ = ["RunView"]

_VALUE_CHARS = 2_000
"""Characters of a result that the card of a call shows; the whole is in the history."""
_SAID_BY = {"model": "{}", "person": "you: {}", "note": "({})"}
_REASON_CHARS = 300
"""Characters of why a call was not done that are shown before it is unfolded."""
_OPEN_ROWS = 30
"""Rows of a timeline that is unfolded by itself."""
_SAID_CHARS = 4_000
"""Characters that a person can say at once."""


class RunView(Panel):
    """One run; `take` events of its deck from any thread."""

    _esm = script("run")
    _css = style("trace", "run")
    run = traitlets.Dict().tag(sync=True)
    live = traitlets.List().tag(sync=True)

    def __init__(self, story: RunStory, *, pace: Pace | None = None) -> None:
        self.story = story
        self._pace = pace or Pace()
        self._words = pace or Pace()
        super().__init__(run=_facts(story))

    def take(self, event: Event) -> None:
        """Show what an event changes."""
        changed = self.story.take(event)
        if changed == "words":
            self._words.run(self._speak)
        elif changed == "more":
            self._pace.run(self._show, urgent=self.story.result is not None)

    def end(self, why: str) -> None:
        """Show that the run is over, also where it was interrupted."""
        self.story.ended = why
        self._pace.run(self._show, urgent=True)

    def _show(self) -> None:
        self.run = _facts(self.story)
        self._speak()

    def _speak(self) -> None:
        self.live = shown_pieces(self.story.live)

    def heard(self, content: dict[str, Any]) -> None:
        """A person steers the run, or stops it."""
        if self.story.result is not None or self.story.ended:
            return
        said = content.get("text")
        if content.get("type") == "stop":
            self.story.run.stop()
        elif content.get("type") == "steer" and isinstance(said, str) and said.strip():
            self.story.run.steer(said[:_SAID_CHARS])

    def text(self) -> str:
        """The story as plain text, with the timeline once it is over."""
        story = self.story
        lines = [f"{visible(story.model)}: {story.line()}", *map(_entry_text, story.entries)]
        if story.result is not None:
            lines.append(run_text(story.result))
        return "\n".join(lines)

    def html(self) -> str:
        """The same as static HTML."""
        story = self.story
        head = f"<strong>{pieces.code(story.model)}</strong> {pieces.shown(story.line())}"
        drawn = "" if story.result is None else run_svg(story.result)
        return pieces.panel(head, *map(_entry_html, story.entries), drawn)


def _facts(story: RunStory) -> dict[str, Any]:
    """What the page is told."""
    result = story.result
    return {
        "model": shown_pieces(story.model),
        "state": story.state,
        "line": story.line(),
        "reason": shown_pieces(result.reason if result is not None else ""),
        "open": result is None and not story.ended,
        "leftOut": story.left_out,
        "entries": [_entry(entry) for entry in list(story.entries)],
        "timeline": None if result is None else _timeline(result),
    }


def _timeline(result: RunResult) -> dict[str, Any]:
    """The replies and calls of a run that is over, on one axis."""
    rows = [_row(row, row.share(result.seconds)) for row in timeline(result)]
    return {"open": len(rows) <= _OPEN_ROWS, "end": facts.duration(result.seconds), "rows": rows}


def _row(row: Stretch, share: tuple[float, float]) -> dict[str, Any]:
    began, took = facts.duration(row.start), facts.duration(row.seconds)
    return {
        "name": shown_pieces(row.name),
        "kind": row.state,
        "depth": 0,
        "time": took,
        "decision": shown_pieces(row.said),
        "reach": list(share),
        "bars": [list(share)],
        "detail": f"begins after {began}, takes {took}",
    }


def _entry(entry: Entry) -> dict[str, Any]:
    call = entry.call
    if call is None:
        return {"kind": entry.kind, "text": shown_pieces(entry.text)}
    result = entry.result
    return {
        "kind": "call",
        "id": call.id,
        "call": shown_pieces(call_facts(call)),
        "state": ("waiting" if entry.waits else "running") if result is None else state_of(result.status),
        "line": ("asks you" if entry.waits else "running")
        if result is None
        else render.result_line(result)[2:],
        "reason": shown_pieces(why_not(result)[:_REASON_CHARS]),
        "text": [] if result is None else shown_pieces(_value(result)),
        "pictures": []
        if result is None
        else [{"mime": mime, "data": data} for mime, data in outcomes.pictures(result)],
        "trace": None if result is None else trace_facts(result),
    }


def _value(result: ToolResult) -> str:
    return render.value_text(result.value if result.ok else result.error or "", _VALUE_CHARS)


def _entry_text(entry: Entry) -> str:
    if entry.call is None:
        return visible(_SAID_BY[entry.kind].format(entry.text))
    return call_text(entry.call, entry.result)


def _entry_html(entry: Entry) -> str:
    if entry.kind == "note":
        return pieces.code(f"({entry.text})")
    if entry.call is None:
        return f"{'' if entry.kind == 'model' else 'you: '}{pieces.box(entry.text)}"
    return pieces.code(_entry_text(entry)) if entry.result is None else render.result_html(entry.result)

"""A run of a model while it goes on: its words, its calls with their traces, a box to steer it, a stop."""

from typing import Any

import traitlets

from tooldeck.core.events import Event
from tooldeck.core.result import ToolResult
from tooldeck.guards.text import one_line, visible
from tooldeck.loops.timeline import run_svg, run_text
from tooldeck.notebook import facts, render
from tooldeck.notebook.run_story import Entry, RunStory
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._pace import Pace
from tooldeck.notebook.widgets._panel import Panel, shown_pieces
from tooldeck.notebook.widgets._states import state_of
from tooldeck.notebook.widgets.trace import trace_facts

__all__ = ["RunView"]

_VALUE_CHARS = 2_000
"""Characters of a result that the card of a call shows; the whole is in the history."""
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
        head = f"<strong>{render.code(story.model)}</strong> {render.shown(story.line())}"
        drawn = "" if story.result is None else run_svg(story.result)
        return render.panel(head, *map(_entry_html, story.entries), drawn)


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
    }


def _entry(entry: Entry) -> dict[str, Any]:
    call = entry.call
    if call is None:
        return {"kind": entry.kind, "text": shown_pieces(entry.text)}
    result = entry.result
    given = call.arguments or (call.raw if isinstance(call.raw, dict) else {})
    return {
        "kind": "call",
        "id": call.id,
        "call": shown_pieces(facts.call_line(call.name, given)),
        "state": ("waiting" if entry.waits else "running") if result is None else state_of(result.status),
        "line": ("asks you" if entry.waits else "running")
        if result is None
        else render.result_line(result)[2:],
        "text": [] if result is None else shown_pieces(_value(result)),
        "pictures": []
        if result is None
        else [{"mime": mime, "data": data} for mime, data in facts.pictures(result)],
        "trace": None if result is None else trace_facts(result),
    }


def _value(result: ToolResult) -> str:
    return render.value_text(result.value if result.ok else result.error or "", _VALUE_CHARS)


def _entry_text(entry: Entry) -> str:
    if entry.call is None:
        return visible(entry.text if entry.kind == "model" else f"you: {entry.text}")
    how = "not ended" if entry.result is None else str(entry.result.status)
    return f"→ {one_line(str(entry.call))}: {how}"


def _entry_html(entry: Entry) -> str:
    if entry.call is None:
        return f"{'' if entry.kind == 'model' else 'you: '}{render.box(entry.text)}"
    return render.code(_entry_text(entry)) if entry.result is None else render.result_html(entry.result)

"""What a run under way has done so far, gathered from the events of its deck, in the order of a reader."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal

from tooldeck.core.call import ToolCall
from tooldeck.core.events import (
    ApprovalAnswered,
    ApprovalAsked,
    CallEnded,
    CallStarted,
    Event,
    ModelReplied,
    ModelSpoke,
    PersonSpoke,
    ReplyNoted,
    RunEnded,
)
from tooldeck.core.messages import Usage
from tooldeck.core.result import ToolResult
from tooldeck.core.run import Run
from tooldeck.core.run_result import RunResult
from tooldeck.guards.text import one_line, visible
from tooldeck.loops.limits import RunLimits
from tooldeck.notebook import facts

__all__ = ["Entry", "RunStory", "call_facts", "call_text", "why_not"]

MOST = 500
"""Entries that are shown; the oldest beyond them are only counted."""
_RAW_CHARS = 80
"""Characters of arguments that were never read which are shown."""
LIVE_CHARS = 20_000
"""Characters at the end of what is being written that are shown."""


@dataclass(slots=True)
class Entry:
    """One thing that happened: words of the model or of a person, a call, or a note about a reply."""

    kind: Literal["model", "person", "call", "note"]
    text: str = ""
    call: ToolCall | None = None
    result: ToolResult | None = None
    """How the call ended; None while it is under way."""
    waits: bool = False
    """Whether somebody is asked about it."""


def call_facts(call: ToolCall) -> str:
    """A call as Python would write it, as visible text; one that was never checked as it came."""
    raw = call.raw or {}
    if isinstance(raw, str):
        raw = {}
        if not call.arguments:
            return f"{visible(call.name)}({one_line(str(call.raw)[:_RAW_CHARS])})"
    return facts.call_line(call.name, call.arguments or raw)


def call_text(call: ToolCall, result: ToolResult | None) -> str:
    """A call and how it ended as text; below it the reason, where it was not done."""
    shown = f"→ {one_line(call_facts(call))}: {'not ended' if result is None else result.status}"
    reason = why_not(result)
    return f"{shown}\n    {one_line(reason)}" if reason else shown


def why_not(result: ToolResult | None) -> str:
    """Why a call was not done, in one line; empty where it was, or has not ended."""
    return "" if result is None or result.ok else (result.error or "").strip().partition("\n")[0]


class RunStory:
    """The story of one run. `take` may be called from any thread."""

    def __init__(self, run: Run, model: str, limits: RunLimits) -> None:
        self.run = run
        self.model = model
        self.limits = limits
        self.entries: list[Entry] = []
        self.left_out = 0
        self.live = ""
        """The end of what the model is writing now, `LIVE_CHARS` at most."""
        self.rounds = 0
        self.calls = 0
        self.usage = Usage()
        self.result: RunResult | None = None
        self.ended = ""
        """Why there is no result although it is over; empty while there is one or may be."""
        self._lock = threading.Lock()

    def take(self, event: Event) -> Literal["", "words", "more"]:
        """What an event changes: nothing, the words being written, or more than that."""
        with self._lock:
            if isinstance(event, ModelSpoke) and event.run is self.run:
                self.live = "" if event.afresh else (self.live + event.text)[-LIVE_CHARS:]
                return "words"
            if isinstance(event, CallStarted | CallEnded):
                return self._call(event)
            if isinstance(event, ApprovalAsked | ApprovalAnswered):
                return self._asked(event)
            return self._told(event)

    def _told(self, event: Event) -> Literal["", "more"]:
        if isinstance(event, ModelReplied) and event.run is self.run:
            self.rounds, self.usage, self.live = event.round, event.spent, ""
            if event.reply.text:
                self._add(Entry("model", event.reply.text))
        elif isinstance(event, ReplyNoted) and event.run is self.run:
            self._add(Entry("note", event.text))
        elif isinstance(event, PersonSpoke) and event.run is self.run:
            self._add(Entry("person", event.text))
        elif isinstance(event, RunEnded) and event.result.run is self.run:
            self.result, self.usage, self.live = event.result, event.result.usage, ""
        else:
            return ""
        return "more"

    def _call(self, event: CallStarted | CallEnded) -> Literal["", "more"]:
        call = event.call if isinstance(event, CallStarted) else event.result.call
        if call.caller.run is not self.run or call.parent is not None:
            return ""
        if isinstance(event, CallStarted):
            self.calls += 1
            self._add(Entry("call", call=call))
        elif (entry := self._of(call)) is not None:
            entry.call, entry.result, entry.waits = call, event.result, False
        return "more"

    def _asked(self, event: ApprovalAsked | ApprovalAnswered) -> Literal["", "more"]:
        entry = self._of(event.request.call)
        if entry is None:
            return ""
        entry.waits, entry.call = isinstance(event, ApprovalAsked), event.request.call
        return "more"

    def _of(self, call: ToolCall) -> Entry | None:
        return next((one for one in self.entries if one.call is not None and one.call.id == call.id), None)

    def _add(self, entry: Entry) -> None:
        self.entries.append(entry)
        if len(self.entries) > MOST:
            del self.entries[0]
            self.left_out += 1

    @property
    def state(self) -> str:
        """The state that is drawn."""
        if self.result is not None:
            return {"done": "ok", "stopped": "refused", "cancelled": "off"}.get(self.result.status, "failed")
        if self.ended:
            return "off"
        return "waiting" if any(entry.waits for entry in self.entries) else "running"

    def line(self) -> str:
        """How it stands, in words: the state, and what is used of its limits."""
        result, limits = self.result, self.limits
        words = [str(result.status) if result is not None else self.ended or self.state]
        words.append(f"{facts.count(self.rounds)} of {facts.count(limits.rounds, 'round')}")
        words.append(f"{facts.count(self.calls)} of {facts.count(limits.calls, 'call')}")
        told = "about " if self.usage.estimated else ""
        of = "" if limits.tokens is None else f" of {facts.count(limits.tokens)}"
        inner = 0 if result is None else result.inner.total
        within = f" and {facts.count(inner)} in calls" if inner else ""
        words.append(f"{told}{facts.count(self.usage.total)}{of} tokens{within}")
        if self.usage.cost is not None:
            words.append(
                f"cost {self.usage.cost:.4g}" + ("" if limits.cost is None else f" of {limits.cost:g}")
            )
        if result is not None:
            words.append(facts.duration(result.seconds))
        return " · ".join(words)

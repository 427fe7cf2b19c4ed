"""A line while a cell waits for a preview, so that nobody takes the silence before a question for a fault."""

from __future__ import annotations

from functools import partial

from tooldeck.core.call import ToolCall
from tooldeck.core.events import ApprovalAsked, CallEnded, Event, PreviewStarted
from tooldeck.notebook.kernel.environment import Audience, audience
from tooldeck.notebook.patience import Later
from tooldeck.notebook.progress import ProgressBars

__all__ = ["PreviewLines"]

PATIENCE = 0.5
"""Seconds that a preview takes before anything is said; what is known sooner needs no line."""
WORDS = "finding out what it would change"


class PreviewLines:
    """Observes a deck; works from any thread. The line is a bar, which says in the end that it is known."""

    def __init__(self, bars: ProgressBars, patience: float = PATIENCE) -> None:
        self._bars = bars
        self._patience = patience
        self._waiting: dict[str, Later] = {}

    def observe(self, event: Event) -> None:
        """Take in one event of the deck."""
        if isinstance(event, PreviewStarted):
            if audience() is Audience.WIDGETS:
                self._waiting[event.call.id] = Later(self._patience, partial(self._say, event.call))
        elif isinstance(event, ApprovalAsked):
            self._end(event.request.call.id, "known")
        elif isinstance(event, CallEnded):
            self._end(event.result.call.id, "not known")

    def _say(self, call: ToolCall) -> None:
        self._bars.move(_key(call.id), call.name, 0, None, WORDS)

    def _end(self, call: str, words: str) -> None:
        later = self._waiting.pop(call, None)
        if later is not None:
            later.cancel()
            self._bars.end(_key(call), words)


def _key(call: str) -> str:
    """The bar's own key: the body of the call may have a bar as well."""
    return f"{call}/preview"

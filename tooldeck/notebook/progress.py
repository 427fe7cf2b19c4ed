"""Bars of the calls that tell how far they are: one for each call, in the cell that waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from tooldeck.core.errors import SetupError
from tooldeck.core.events import AttemptStarted, CallEnded, Event, Progressed, Streamed
from tooldeck.core.result import ToolResult
from tooldeck.notebook import render
from tooldeck.notebook.approvals import show_in_place
from tooldeck.notebook.kernel.adapter import shell_port
from tooldeck.notebook.kernel.environment import Audience, audience
from tooldeck.notebook.kernel.jobs import post
from tooldeck.notebook.places import current_place
from tooldeck.notebook.progress_text import INTERRUPT, ProgressLines
from tooldeck.notebook.say import say

__all__ = ["ProgressBars"]

_MOST = 50
"""Bars that are kept to be moved; those of older calls stay as they are."""
_STREAM_AFTER = 0.3
"""Seconds a stream runs before it gets a bar; what is over sooner needs none."""
_ITEM_CHARS = 200
"""Characters of a streamed item that its bar shows."""


class ProgressBars:
    """Observes a deck and moves the bars; servers move theirs by `move`. Works from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._bars: dict[str, _Bar] = {}
        self._begun: dict[str, float] = {}
        self._clock = clock
        self._lock = threading.Lock()
        self._lines = ProgressLines(say, clock)

    def observe(self, event: Event) -> None:
        """Take in one event of the deck."""
        if isinstance(event, AttemptStarted):
            self._begun[event.call.id] = self._clock()
        elif isinstance(event, Progressed):
            self.move(event.call.id, event.call.name, event.done, event.total, event.text)
        elif isinstance(event, Streamed):
            self._streamed(event)
        elif isinstance(event, CallEnded):
            self._ended(event.result)

    def move(
        self,
        call: str,
        title: str,
        done: float,
        total: float | None = None,
        text: str = "",
        *,
        cancel: Callable[[], object] | None = None,
    ) -> Future[Any] | None:
        """Move the bar of a call, made first if need be; with `cancel` it has a button that runs that.

        Gives the bar's future: done when it is on the screen. None where a line of text does instead.
        """
        reach = audience()
        if reach is not Audience.WIDGETS:
            hint = INTERRUPT if cancel is not None and reach is Audience.STDIN else ""
            self._lines.move(call, title, done, total, text, hint=hint)
            return None
        with self._lock:
            bar = self._bars.get(call)
            if bar is None:
                bar = self._bars[call] = _Bar(title, cancel)
                while len(self._bars) > _MOST:
                    del self._bars[next(iter(self._bars))]
        bar.move(done, total, text)
        return bar.shown

    def _streamed(self, event: Streamed) -> None:
        call = event.call
        if self._clock() - self._begun.get(call.id, 0.0) >= _STREAM_AFTER:
            item = " ".join(render.value_text(event.item, _ITEM_CHARS).split())
            self.move(call.id, call.name, event.index + 1, None, item)

    def _ended(self, result: ToolResult) -> None:
        self._begun.pop(result.call.id, None)
        self.end(result.call.id, str(result.status))

    def end(self, call: str, words: str) -> None:
        """Let the bar of a call stand still, and say how it ended; nothing where it has none."""
        self._lines.end(call)
        bar = self._bars.pop(call, None)
        if bar is not None:
            bar.end(words)


class _Bar:
    """One bar, which may still be on its way to the screen."""

    def __init__(self, title: str, cancel: Callable[[], object] | None) -> None:
        self._title = title
        self._cancel = cancel
        self._report: tuple[float, float | None, str] = (0.0, None, "")
        self._output: Any = None
        self.shown: Future[Any] = self._show()

    def _show(self) -> Future[Any]:
        if threading.current_thread() is not threading.main_thread() and shell_port() is None:
            return post(
                self._draw, place=current_place()
            )  # no cell of its own: it belongs to the one that waits
        shown: Future[Any] = Future()
        try:
            shown.set_result(self._draw())
        except Exception as error:  # noqa: BLE001 - whoever waits for the bar is told
            shown.set_exception(error)
        return shown

    def _draw(self) -> Any:
        try:
            from tooldeck.notebook.widgets.progress import ProgressBar
        except SetupError:  # without widgets there are no bars
            return None
        widget = ProgressBar(self._title, self._cancel)
        self._output = show_in_place(widget)
        return widget

    def move(self, done: float, total: float | None, text: str) -> None:
        self._report = (done, total, text)
        self.shown.add_done_callback(self._moved)

    def end(self, words: str) -> None:
        """Say how the call ended; a bar that is not on the screen yet needs to be there no more."""
        if not self.shown.cancel():
            self.shown.add_done_callback(
                lambda shown: self._with(shown, lambda bar: self._settle(bar, words))
            )

    def _settle(self, bar: Any, words: str) -> None:
        """Show the end, also in the text that a saved notebook keeps of the bar."""
        bar.end(words)
        if self._output is not None:
            self._output.update(bar)

    def _moved(self, shown: Future[Any]) -> None:
        self._with(shown, lambda widget: widget.move(*self._report))

    def _with(self, shown: Future[Any], use: Callable[[Any], None]) -> None:
        if shown.cancelled() or shown.exception() is not None or shown.result() is None:
            return
        use(shown.result())

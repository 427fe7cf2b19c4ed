"""Showing a run in the cell that waits for it: a panel where there are widgets, lines of text elsewhere."""

from __future__ import annotations

import threading
from typing import Any, Protocol

from tooldeck.core.errors import SetupError
from tooldeck.core.events import CallEnded, Event, ModelReplied, ModelSpoke, ReplyNoted
from tooldeck.core.result import ToolResult
from tooldeck.core.run import Run
from tooldeck.guards.text import one_line
from tooldeck.loops.limits import RunLimits
from tooldeck.notebook.approvals import show_in_place
from tooldeck.notebook.kernel.environment import Audience, audience
from tooldeck.notebook.kernel.jobs import here, post
from tooldeck.notebook.kernel.waiting import wait
from tooldeck.notebook.run_story import RunStory, call_text
from tooldeck.notebook.say import say

__all__ = ["RunShown", "show_run"]

_DRAWN_WITHIN = 3.0
"""Seconds a front end has to draw the panel of a run that is over already."""


class RunShown(Protocol):
    """A run on the screen."""

    traced: bool
    """Whether it shows the stages of calls."""

    def observe(self, event: Event) -> None:
        """Show one event of the deck."""
        ...

    def close(self) -> None:
        """The run is over, or was interrupted."""
        ...


def show_run(run: Run, model: str, limits: RunLimits) -> RunShown:
    """Show a run here, by the best means that there is."""
    if audience() is Audience.WIDGETS:
        try:
            return _Panel(run, model, limits)
        except SetupError:  # without widgets there is the text
            pass
    return _Lines(run)


class _Panel:
    """The run as a widget; its text where no front end has drawn it."""

    traced = True

    def __init__(self, run: Run, model: str, limits: RunLimits) -> None:
        from tooldeck.notebook.widgets.run import RunView

        self.view = RunView(RunStory(run, model, limits))
        self._output: Any = show_in_place(self.view)

    def observe(self, event: Event) -> None:
        self.view.take(event)

    def close(self) -> None:
        self.view.end("interrupted")
        if self._output is not None:
            self._output.update(self.view)  # what a saved notebook keeps
        if not self._drawn():
            say(self.view.text())

    def _drawn(self) -> bool:
        """Whether a front end has drawn the panel; one that hears of it only now is given time to say so."""
        try:
            wait(self.view.rendered, _DRAWN_WITHIN)
        except TimeoutError:
            return False
        return True


class _Lines:
    """The run as lines of text; what comes on another thread is taken to the cell that waits."""

    traced = False

    def __init__(self, run: Run) -> None:
        self._run = run
        self._place = here()
        self._lock = threading.Lock()
        self._pieces: list[str] = []
        self._heard = False
        self._wanted = 0
        self._ended: list[tuple[int, str]] = []

    def observe(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, ModelSpoke) and event.run is self._run:
            self._heard = True
            self._show("\n… the reply broke off; once more:\n" if event.afresh else event.text)
        elif isinstance(event, ModelReplied) and event.run is self._run:
            self._tell_calls()
            if not self._heard:
                self._show(event.reply.text)
            if event.reply.text:
                self._show("\n")
            self._heard = False
            self._wanted = len(event.reply.requests)
        elif isinstance(event, ReplyNoted) and event.run is self._run:
            self._show(f"({one_line(event.text)})\n")
        elif isinstance(event, CallEnded) and event.result.call.caller.run is self._run:
            self._call(event.result)

    def _call(self, result: ToolResult) -> None:
        """The end of a call; those that ran beside each other are told in the order of the reply."""
        with self._lock:
            self._ended.append((_number(result.call.id), f"{call_text(result.call, result)}\n"))
            self._wanted -= result.call.parent is None
            whole = self._wanted <= 0
        if whole:
            self._tell_calls()

    def _tell_calls(self) -> None:
        with self._lock:
            lines, self._ended = sorted(self._ended), []
        if lines:
            self._show("".join(line for _, line in lines))

    def _show(self, text: str) -> None:
        with self._lock:
            self._pieces.append(text)
        if here() == self._place:
            self.flush()
        else:
            post(self.flush, place=self._place)

    def close(self) -> None:
        self._tell_calls()
        self.flush()

    def flush(self) -> None:
        """Print what has come since the last time."""
        with self._lock:
            text, self._pieces = "".join(self._pieces), []
        if text:
            say(text, end="")


def _number(id: str) -> int:
    """The number in the id of a call, which grows in the order in which calls are made."""
    digits = id.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0

"""The part of a deck that tells what happens in it, and what has happened."""

from __future__ import annotations

from collections.abc import Callable

from tooldeck.core.events import Event
from tooldeck.core.history import History
from tooldeck.core.lines import Lines
from tooldeck.core.observers import Observers
from tooldeck.core.result import ToolResult
from tooldeck.core.run import Run
from tooldeck.core.runs import Runs

__all__ = ["Watched"]


class Watched:
    """The methods of a deck for observers."""

    _history: History
    _lines: Lines
    _observers: Observers
    _runs: Runs
    _trace: bool

    def subscribe(self, observer: Callable[[Event], None]) -> Callable[[], None]:
        """Tell `observer` about every event, on the thread where it happens; returns the undoing function.

        An observer that raises is removed, and the log says so; it never disturbs a call.
        """
        return self._observers.add(observer)

    @property
    def runs(self) -> list[Run]:
        """The runs under way, oldest first: with a call here, neither ended nor stopped."""
        return self._runs.active()

    def history(self) -> list[ToolResult]:
        """The last ends of calls, oldest first."""
        return self._history.all()

    def result(self, handle: str) -> ToolResult:
        """The result of a call by its id, as a text that was cut names it; KeyError when it is not kept."""
        found = self._history.find(handle)
        if found is None:
            raise KeyError(f"No result {handle!r} is kept; deck.history() has those that are.")
        return found

    @property
    def trace(self) -> bool:
        """Whether the times of all stages are noted; may be switched at any time."""
        return self._trace

    @trace.setter
    def trace(self, on: bool) -> None:
        self._trace = on
        self._lines.renew()

"""Turns the spans of a call into rows on one time axis, for the trace widget and its static forms."""

from __future__ import annotations

from typing import NamedTuple

from tooldeck.core.call import Span
from tooldeck.core.result import ToolResult

__all__ = ["Row", "rows"]

_WAIT_SHARE = 0.2
"""The most of the axis that waiting for people may take, so that the work beside it stays readable."""


class Row(NamedTuple):
    """One bar of the waterfall."""

    name: str
    kind: str
    """``stage``, ``attempt``, ``wait`` or ``person``."""
    start: float
    """Seconds after the start of the call."""
    seconds: float
    decision: str
    depth: int
    left: float
    """Where the bar begins, as a share of the axis from 0 to 1."""
    width: float
    """Its length as a share of the axis."""


def rows(result: ToolResult) -> list[Row]:
    """The spans of a call in the order in which they began; outer stages before inner ones."""
    spans = sorted(result.trace, key=lambda span: (span.start, span.depth, -span.end))
    end = max([result.seconds, *(span.end for span in spans)], default=0.0)
    axis = _Axis([span for span in spans if _kind(span) == "person"], end)
    return [
        Row(
            span.name,
            _kind(span),
            span.start,
            max(0.0, span.end - span.start),
            span.decision,
            span.depth,
            axis.place(span.start),
            max(0.0, axis.place(span.end) - axis.place(span.start)),
        )
        for span in spans
    ]


def _kind(span: Span) -> str:
    words = span.name.lower()
    if words in ("ask", "asked", "approval", "person", "wait for approval", "wait for a person"):
        return "person"
    if words.startswith("wait"):
        return "wait"
    return "attempt" if words.startswith("attempt") else "stage"


class _Axis:
    """Seconds to shares of the axis; time that a person took is pressed together when it would fill it."""

    def __init__(self, people: list[Span], end: float) -> None:
        self._people = _joined([(span.start, span.end) for span in people])
        self._end = end
        waited = sum(stop - start for start, stop in self._people)
        worked = max(end - waited, 1e-9)
        share = waited / end if end > 0 else 0.0
        self._rate = 1.0 if share <= _WAIT_SHARE else worked * _WAIT_SHARE / (1 - _WAIT_SHARE) / waited
        self._total = worked + waited * self._rate

    def place(self, at: float) -> float:
        """The share of the axis at `at` seconds."""
        waited = sum(max(0.0, min(at, stop) - start) for start, stop in self._people)
        return min(1.0, max(0.0, (at - waited + waited * self._rate) / self._total))


def _joined(stretches: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Overlapping stretches as one."""
    joined: list[tuple[float, float]] = []
    for start, stop in sorted(stretches):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined

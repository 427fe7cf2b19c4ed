"""Turns the spans of a call into rows on one time axis, for the trace widget and its static forms."""

from __future__ import annotations

from typing import NamedTuple

from tooldeck.core.call_log import Span
from tooldeck.core.result import ToolResult

__all__ = ["Row", "rows"]

Stretch = tuple[float, float]
"""A start and a length."""

_WAIT_SHARE = 0.2
"""The most of the axis that waiting for people may take, so that the work beside it stays readable."""
_NOTICED = 0.05
"""Seconds from which on the approval's own time is a person's, not the policy's."""
_JITTER = 1e-9


class Row(NamedTuple):
    """One line of the waterfall: a stage, an attempt or a wait."""

    name: str
    kind: str
    """``stage``, ``attempt``, ``wait`` or ``person``."""
    start: float
    """Seconds after the start of the call."""
    seconds: float
    """From its start to its end."""
    own: float
    """Seconds that were its own, the stages inside it taken off."""
    decision: str
    depth: int
    reach: Stretch
    """Start and length of the whole, as shares of the axis from 0 to 1."""
    bars: tuple[Stretch, ...]
    """The stretches of its own time, as shares of the axis."""


def rows(result: ToolResult) -> list[Row]:
    """The spans of a call in the order in which they began; outer stages before inner ones."""
    spans = sorted(result.trace, key=lambda span: (span.depth, span.start))
    parts = [(span, _own(span, spans)) for span in spans if not _says_nothing(span, spans)]
    parts.sort(key=lambda part: (part[0].start, part[0].depth))
    people = [stretch for span, own in parts if _kind(span, own) == "person" for stretch in own]
    axis = _Axis(people, max([result.seconds, *(span.end for span in spans)], default=0.0))
    return [
        Row(
            span.name,
            _kind(span, own),
            span.start,
            max(0.0, span.end - span.start),
            sum(length for _, length in own),
            span.decision,
            span.depth,
            axis.place((span.start, span.end - span.start)),
            tuple(axis.place(stretch) for stretch in own),
        )
        for span, own in parts
    ]


def _inside(outer: Span, spans: list[Span]) -> list[Span]:
    """The spans directly within `outer`."""
    return [
        span
        for span in spans
        if span.depth == outer.depth + 1
        and span.start >= outer.start - _JITTER
        and span.end <= outer.end + _JITTER
    ]


def _own(span: Span, spans: list[Span]) -> list[Stretch]:
    """The stretches of a span that no inner span covers."""
    found: list[Stretch] = []
    at = span.start
    for inner in _inside(span, spans):
        if inner.start > at:
            found.append((at, inner.start - at))
        at = max(at, inner.end)
    if span.end > at or not found:
        found.append((at, max(0.0, span.end - at)))
    return found


def _says_nothing(span: Span, spans: list[Span]) -> bool:
    """Whether a stage is told by the single attempt inside it."""
    inner = _inside(span, spans)
    return not span.decision and len(inner) == 1 and inner[0].name.startswith("attempt")


def _kind(span: Span, own: list[Stretch]) -> str:
    if span.name == "approve" and sum(length for _, length in own) >= _NOTICED:
        return "person"
    return next((kind for kind in ("wait", "attempt") if span.name.startswith(kind)), "stage")


class _Axis:
    """Seconds to shares of the axis; time that a person took is pressed together when it would fill it."""

    def __init__(self, people: list[Stretch], end: float) -> None:
        self._people = people
        waited = sum(length for _, length in people)
        worked = max(end - waited, _JITTER)
        share = waited / end if end > 0 else 0.0
        self._rate = 1.0 if share <= _WAIT_SHARE else worked * _WAIT_SHARE / (1 - _WAIT_SHARE) / waited
        self._total = worked + waited * self._rate

    def place(self, stretch: Stretch) -> Stretch:
        """A stretch of seconds as one of the axis."""
        left, right = self._at(stretch[0]), self._at(stretch[0] + stretch[1])
        return left, max(0.0, right - left)

    def _at(self, seconds: float) -> float:
        waited = sum(max(0.0, min(seconds, start + length) - start) for start, length in self._people)
        return min(1.0, max(0.0, (seconds - waited + waited * self._rate) / self._total))

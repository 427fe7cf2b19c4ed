"""How long the calls of a tool take: the median and the slow end, over the last thousand calls."""

from __future__ import annotations

from collections import deque

__all__ = ["Timing"]

_LAST = 1_000


class Timing:
    """The calls of one tool on the wire, the time in which the server waited for a person included."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        """The server's own name of it."""
        self.calls = 0
        self.failed = 0
        self._seconds: deque[float] = deque(maxlen=_LAST)

    def add(self, seconds: float, *, failed: bool) -> None:
        """Count a call that was answered."""
        self.calls += 1
        self.failed += failed
        self._seconds.append(seconds)

    def percentile(self, share: float) -> float:
        """Seconds within which a `share` of the calls, above 0 and at most 1, ended (nearest rank)."""
        ordered = sorted(list(self._seconds))  # noqa: C414 - copied at once, since calls go on meanwhile
        place = -int(-share * len(ordered) // 1) - 1
        return ordered[max(0, place)] if ordered else 0.0

    @property
    def p50(self) -> float:
        """The median, in seconds."""
        return self.percentile(0.5)

    @property
    def p95(self) -> float:
        """The time within which 95 of 100 calls ended, in seconds."""
        return self.percentile(0.95)

    def __repr__(self) -> str:
        return f"<Timing {self.tool}: {self.calls} calls, p50 {self.p50:.4g} s, p95 {self.p95:.4g} s>"

"""How often a tool may be called: the limit as it is declared, the bucket that counts, the buckets of a deck.

A token bucket, kept as one time: until when the tokens are spoken for (the virtual scheduling form of the
generic cell rate algorithm, ITU-T I.371). Whoever has to wait takes a token at once, so that those who wait
are served in the order in which they came.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tooldeck.core.errors import DefinitionError

if TYPE_CHECKING:
    from tooldeck.core.tool import Tool

__all__ = ["Bucket", "RateSettings", "Rates", "read_rate"]

_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0}
_SPELT = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), "s"),
    **dict.fromkeys(("m", "min", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "day"),
}
_WORDS = {1.0: "second", 60.0: "minute", 3600.0: "hour", 86400.0: "day"}
_MOST = 1_000_000_000
"""Calls that a limit can be declared for."""
_LONGEST = 1e13  # seconds
_ROUNDING = 1e-6  # seconds; a shorter wait is what adding up intervals left over
_FORM = re.compile(r"\s*(\d{1,9})\s*/\s*(\d{1,9}(?:\.\d{1,9})?)?\s*([a-z]+)\s*", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class RateSettings:
    """How often something may be called, and how long a call waits for its turn."""

    calls: int
    """Calls within `seconds`, in the long run; as many may come at once after a pause, unless `burst` says
    otherwise."""
    seconds: float = 1.0
    """The time that the number is meant for."""
    burst: int | None = None
    """Calls that may come at once after a pause; None: as many as `calls`. 1 spaces them evenly."""
    wait: float = 30.0
    """Seconds that a call waits for its turn at most, never more than its time limit leaves; one that would
    have to wait longer is refused at once. 0 never waits."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        for name in ("calls", "burst"):
            given = getattr(self, name)
            if name == "burst" and given is None:
                continue
            if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= _MOST:
                raise DefinitionError(f"rate {name} must be a whole number from 1 to {_MOST}, got {given!r}.")
        if not _is_seconds(self.seconds) or not self.seconds > 0:
            raise DefinitionError(f"rate seconds must be a time above 0, got {self.seconds!r}.")
        if not _is_seconds(self.wait):
            raise DefinitionError(f"rate wait must be 0 or more seconds, got {self.wait!r}.")

    @property
    def words(self) -> str:
        """The limit in words."""
        times = "once" if self.calls == 1 else "twice" if self.calls == 2 else f"{self.calls} times"
        unit = _WORDS.get(self.seconds)
        return (
            f"{times} a{'n' if unit == 'hour' else ''} {unit}" if unit else f"{times} in {self.seconds:g} s"
        )

    @property
    def interval(self) -> float:
        """Seconds in which one call comes free."""
        return self.seconds / self.calls

    def __str__(self) -> str:
        unit = next((one for one, long in _UNITS.items() if long == self.seconds), "")
        return f"{self.calls}/{unit}" if unit else f"{self.calls}/{self.seconds:g}s"


def read_rate(option: str, given: Any) -> RateSettings | None:
    """A limit as it is written, such as ``"10/s"``, ``"100/min"``, ``"1/5s"``, or settings; None for none.

    Raises `DefinitionError` naming `option`.
    """
    if given is None or isinstance(given, RateSettings):
        return given
    found = _FORM.fullmatch(given) if isinstance(given, str) else None
    unit = _SPELT.get(found[3].lower()) if found else None
    if found is None or unit is None or int(found[1]) < 1 or (found[2] and float(found[2]) == 0):
        raise DefinitionError(
            f"The option {option} must be a number of calls and a time, such as '10/s', '100/min', '1/5s' or "
            f"'1000/day', or RateSettings, got {given!r}."
        )
    return RateSettings(int(found[1]), float(found[2] or 1) * _UNITS[unit])


class Bucket:
    """Counts the calls under one limit. Safe from every thread."""

    def __init__(self, settings: RateSettings, now: Callable[[], float]) -> None:
        self.settings = settings
        self._now = now
        self._slack = settings.interval * ((settings.burst or settings.calls) - 1)
        self._until = -math.inf
        self._lock = threading.Lock()

    def wait(self) -> float:
        """Seconds that a call would wait for its turn now; takes nothing."""
        return self._wait(self._now())

    def take(self, limit: float) -> tuple[bool, float]:
        """Take a turn that comes within `limit` seconds: whether there is one, and the seconds until then."""
        with self._lock:
            now = self._now()
            wait = self._wait(now)
            if wait > limit:
                return False, wait
            self._until = max(self._until, now) + self.settings.interval
        return True, wait

    def give_back(self) -> None:
        """Leave a turn that was taken to others, because the call does not run."""
        with self._lock:
            self._until -= self.settings.interval

    def _wait(self, now: float) -> float:
        wait = self._until - self._slack - now
        return wait if wait > _ROUNDING else 0.0


class Rates:
    """The buckets of one deck: for each tool object, and for each server that a limit was declared for.

    A server's lives on when its tools are replaced, so that starting it again is no way around its limit.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._tools: dict[Tool, Bucket] = {}
        self._servers: dict[tuple[str, str], Bucket] = {}
        self._lock = threading.Lock()

    def of(self, tool: Tool) -> list[tuple[Bucket, str]]:
        """What a call of `tool` is counted by, each with the server whose limit it is or an empty text."""
        found: list[tuple[Bucket, str]] = []
        shared = tool.shared
        if shared is not None and shared.rate is not None:
            found.append((self._server((tool.origin.kind, shared.name), shared.rate), shared.name))
        if tool.rate is not None:
            found.append((self._tools.setdefault(tool, Bucket(tool.rate, self._now)), ""))
        return found

    def forget(self, tool: Tool) -> None:
        """Drop the buckets of a tool that is gone."""
        for one in (tool, *tool.actions.values()):
            self._tools.pop(one, None)

    def _server(self, key: tuple[str, str], settings: RateSettings) -> Bucket:
        with self._lock:
            known = self._servers.get(key)
            if known is None or known.settings != settings:
                known = self._servers[key] = Bucket(settings, self._now)
            return known


def _is_seconds(given: Any) -> bool:
    return not isinstance(given, bool) and isinstance(given, int | float) and 0 <= given <= _LONGEST

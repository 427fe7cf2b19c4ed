"""The circuit breaker: a pure transition function and the small thread-safe holder around it.

States and moves, after M. Nygard, "Release It!": closed counts failures in a row; at the threshold it opens;
after the cool-down exactly one probe is admitted (half-open); the probe closes or reopens it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from tooldeck.core.settings import BreakerSettings

__all__ = ["Admission", "Breaker", "BreakerState", "Phase", "admit", "settle"]


class Phase(StrEnum):
    """The three states of a breaker."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


class Admission(StrEnum):
    """A breaker's answer to a call."""

    CALL = "call"
    PROBE = "probe"
    REFUSED = "refused"


# Bound once: reading a member off its Enum costs 0.1 µs on Python 3.11, and this runs for every call.
_CLOSED, _CALL = Phase.CLOSED, Admission.CALL


@dataclass(frozen=True, slots=True)
class BreakerState:
    """A breaker at one moment."""

    phase: Phase = Phase.CLOSED
    failures: int = 0
    """Failures in a row."""
    opened_at: float = 0.0
    """Monotonic seconds of the last opening."""
    last_error: str = ""
    """What the last failure said."""

    def wait(self, settings: BreakerSettings, now: float) -> float:
        """Seconds until a probe may run; 0 unless open."""
        if self.phase is not Phase.OPEN:
            return 0.0
        return max(0.0, self.opened_at + settings.cooldown - now)


def admit(state: BreakerState, settings: BreakerSettings, now: float) -> tuple[BreakerState, bool]:
    """May a call run? Returns the next state and the answer; admitting from open makes the call the probe."""
    if state.phase is Phase.CLOSED:
        return state, True
    if state.phase is Phase.OPEN and state.wait(settings, now) <= 0.0:
        return replace(state, phase=Phase.HALF_OPEN), True
    return state, False


def settle(
    state: BreakerState,
    settings: BreakerSettings,
    now: float,
    *,
    ok: bool | None,
    probe: bool,
    error: str = "",
) -> BreakerState:
    """The state after an admitted call ended: `ok` is None for an end that counts neither way."""
    if ok is None:
        # An uncounted probe tells nothing: the breaker goes back to open, due for another probe at once.
        return replace(state, phase=Phase.OPEN) if probe and state.phase is Phase.HALF_OPEN else state
    if ok:
        closes = probe if state.phase is Phase.HALF_OPEN else state.phase is Phase.CLOSED
        return BreakerState() if closes else state  # a straggler from before the opening does not close it
    failures = state.failures + 1
    opens = probe if state.phase is Phase.HALF_OPEN else failures >= settings.threshold
    if opens and state.phase is not Phase.OPEN:
        return BreakerState(Phase.OPEN, failures, now, error)
    return replace(state, failures=failures, last_error=error)


class Breaker:
    """The breaker of one tool: holds the state, counts outcomes, tells a listener about every change."""

    def __init__(
        self,
        settings: BreakerSettings,
        now: Callable[[], float],
        listener: Callable[[BreakerState], None] | None = None,
    ) -> None:
        self.settings = settings
        self.state = BreakerState()
        self.recent: deque[str] = deque(maxlen=30)
        """The last outcomes, oldest first: ``ok``, ``failed`` or ``ignored``, and ``refused``."""
        self._now = now
        self._listener = listener
        self._lock = threading.Lock()

    def seconds_left(self) -> float:
        """Seconds until a probe may run; 0 unless open."""
        return self.state.wait(self.settings, self._now())

    def would_refuse(self) -> bool:
        """Whether a call made now would be refused; changes nothing."""
        state = self.state
        return state.phase is not Phase.CLOSED and not admit(state, self.settings, self._now())[1]

    def admit(self) -> Admission:
        """Ask to run."""
        if self.state.phase is _CLOSED:
            return _CALL
        with self._lock:
            before = self.state
            after, admitted = admit(before, self.settings, self._now())
            self.state = after
        try:
            self._tell(before)
        except BaseException:
            # An interrupt in a listener: the call will not run, and a probe that nobody settles would refuse
            # all others for ever.
            self.settle(ok=None, probe=admitted and after.phase is Phase.HALF_OPEN)
            raise
        if not admitted:
            return Admission.REFUSED
        return Admission.CALL if after.phase is Phase.CLOSED else Admission.PROBE

    def settle(self, *, ok: bool | None, probe: bool = False, error: str = "") -> None:
        """Account for the end of an admitted call; `ok` None counts neither way."""
        if ok and self.state.phase is _CLOSED and not self.state.failures:
            self.recent.append("ok")
            return
        with self._lock:
            before = self.state
            self.state = settle(before, self.settings, self._now(), ok=ok, probe=probe, error=error)
            self.recent.append("ignored" if ok is None else "ok" if ok else "failed")
        self._tell(before)

    def refuse(self) -> None:
        """Note a refused call in the recent outcomes."""
        self.recent.append("refused")

    def reset(self) -> None:
        """Close it by hand and forget the failures."""
        with self._lock:
            before = self.state
            self.state = BreakerState()
        self._tell(before)

    def _tell(self, before: BreakerState) -> None:
        state = self.state
        if state is not before and self._listener is not None:
            self._listener(state)

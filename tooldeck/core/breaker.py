"""The circuit breaker: a pure transition function and the small thread-safe holder around it.

After M. Nygard, "Release It!". What happens, in each state, at each event:

=========  =======================  ===================================================
state      event                    next
=========  =======================  ===================================================
closed     a call comes             closed; the call runs
closed     it went well             closed, no failures in a row
closed     it failed                closed with one failure more, or open where a rule is met
open       a call comes too early   open; the call is refused
open       a call comes when due    half-open; the call runs as the probe
half-open  a call comes             half-open; the call is refused
half-open  the probe went well      closed, everything forgotten
half-open  the probe failed         open, for a whole cool-down
half-open  the probe tells nothing  open, due for another probe at once
open,      an older call ends       unchanged; a failure is added to the count
half-open
any        reset by hand            closed, everything forgotten
=========  =======================  ===================================================

An end that counts neither way changes nothing, but for the probe. Two rules open it: failures in a row, and
the share of failures among the last counted calls.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from tooldeck.core.settings import BreakerSettings

__all__ = ["Admission", "Breaker", "BreakerState", "Phase", "admit", "settle"]

T = TypeVar("T")


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
    """Seconds on the breaker's clock at the last opening."""
    last_error: str = ""
    """What the last failure said."""
    window: tuple[bool, ...] = ()
    """Of the last counted calls, oldest first, whether they failed; empty where no rate rule looks at it."""

    def wait(self, settings: BreakerSettings, now: float) -> float:
        """Seconds until a probe may run; 0 unless open."""
        if self.phase is not Phase.OPEN:
            return 0.0
        # A clock that was set back must not hold it open for more than a cool-down.
        return min(settings.cooldown, max(0.0, self.opened_at + settings.cooldown - now))


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
    if probe and state.phase is Phase.HALF_OPEN:
        if ok is None:
            return replace(state, phase=Phase.OPEN)
        return BreakerState() if ok else BreakerState(Phase.OPEN, state.failures + 1, now, error)
    if ok is None:
        return state
    if state.phase is not Phase.CLOSED:  # a straggler from before the opening
        return state if ok else replace(state, failures=state.failures + 1, last_error=error)
    window = (*state.window, not ok)[-settings.window :] if settings.rate is not None else ()
    if ok:
        return BreakerState(window=window)
    failures = state.failures + 1
    if _is_met(settings, failures, window):
        return BreakerState(Phase.OPEN, failures, now, error, window)
    return BreakerState(Phase.CLOSED, failures, 0.0, error, window)


def _is_met(settings: BreakerSettings, failures: int, window: tuple[bool, ...]) -> bool:
    """Whether one of the rules says that it is enough."""
    if 0 < settings.threshold <= failures:
        return True
    return settings.rate is not None and (
        len(window) >= settings.minimum and sum(window) / len(window) >= settings.rate
    )


class Breaker:
    """The breaker of one tool or target: holds the state, counts outcomes, tells a listener of changes."""

    def __init__(
        self,
        settings: BreakerSettings,
        now: Callable[[], float],
        listener: Callable[[BreakerState], None] | None = None,
    ) -> None:
        self.settings = settings
        self.recent: deque[str] = deque(maxlen=30)
        """The last outcomes, oldest first: ``ok``, ``failed`` or ``ignored``, and ``refused``."""
        self._state = BreakerState()
        self._now = now
        self._listener = listener
        self._lock = threading.Lock()
        self._counts_all = settings.rate is not None
        self._alone = True
        """Whether nobody else can change the state, so that it may be looked at without a lock."""

    @property
    def state(self) -> BreakerState:
        """The state of this moment."""
        return self._state

    @property
    def quiet(self) -> bool:
        """Whether it is closed and has no failures to remember."""
        state = self.state
        return state.phase is Phase.CLOSED and not state.failures and not any(state.window)

    def seconds_left(self) -> float:
        """Seconds until a probe may run; 0 unless open."""
        return self.state.wait(self.settings, self._now())

    def would_refuse(self) -> bool:
        """Whether a call made now would be refused; changes nothing."""
        state = self.state
        return state.phase is not Phase.CLOSED and not admit(state, self.settings, self._now())[1]

    def admit(self) -> Admission:
        """Ask to run."""
        if self._alone and self._state.phase is _CLOSED:
            return _CALL
        is_probe = False

        def step(state: BreakerState) -> tuple[BreakerState, bool]:
            nonlocal is_probe
            after, admitted = admit(state, self.settings, self._now())
            is_probe = admitted and after.phase is Phase.HALF_OPEN
            return after, admitted

        try:
            before, after, admitted = self._change(step)
            self._tell(before, after)
        except BaseException:
            # An interrupt: the call will not run, and a probe that nobody settles would refuse all others
            # for ever.
            self.settle(ok=None, probe=is_probe)
            raise
        if not admitted:
            return Admission.REFUSED
        return Admission.CALL if after.phase is Phase.CLOSED else Admission.PROBE

    def settle(self, *, ok: bool | None, probe: bool = False, error: str = "") -> None:
        """Account for the end of an admitted call; `ok` None counts neither way."""
        if ok and self._alone and not self._counts_all:
            state = self._state
            if state.phase is _CLOSED and not state.failures:
                self.recent.append("ok")
                return

        def step(state: BreakerState) -> tuple[BreakerState, None]:
            return settle(state, self.settings, self._now(), ok=ok, probe=probe, error=error), None

        before, after, _ = self._change(step)
        self.recent.append("ignored" if ok is None else "ok" if ok else "failed")
        self._tell(before, after)

    def refuse(self) -> None:
        """Note a refused call in the recent outcomes."""
        self.recent.append("refused")

    def reset(self) -> None:
        """Close it by hand and forget the failures."""
        before, after, _ = self._change(lambda _state: (BreakerState(), None))
        self._tell(before, after)

    def _change(
        self, step: Callable[[BreakerState], tuple[BreakerState, T]]
    ) -> tuple[BreakerState, BreakerState, T]:
        """Take one step in one piece; gives the states before and after it, and its answer."""
        with self._lock:
            before = self._state
            after, answer = step(before)
            self._state = after
        return before, after, answer

    def _tell(self, before: BreakerState, after: BreakerState) -> None:
        if self._listener is not None and (before.phase, before.failures) != (after.phase, after.failures):
            self._listener(after)

"""A breaker whose state lies in a store, so that several kernels see one and the same.

Each step reads the state, decides with the same pure functions as any breaker, and puts the new state in its
place only where no other program was faster; else it starts over. Where the store cannot be used, the
breaker goes on by itself for a while.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, TypeVar

from tooldeck.core.breaker import Breaker, BreakerState, Phase
from tooldeck.core.errors import StoreError
from tooldeck.core.settings import BreakerSettings

__all__ = ["BreakerStore", "SharedBreaker"]

T = TypeVar("T")

LOST_AFTER = 120.0
"""Seconds after which a probe of a killed program is given up, or the cool-down where that is more."""
SKEW = 1.0
"""Seconds by which a time may lie ahead; one that lies further ahead shows that the clock was set back."""
PAUSE = 30.0
"""Seconds for which a failing store is left alone."""
_TRIES = 50
_log = logging.getLogger("tooldeck")


class BreakerStore(Protocol):
    """Where states lie. Every method raises `StoreError`."""

    def load(self, key: str) -> tuple[int, dict[str, Any] | None]:
        """The version and the state; 0 and None where there is none yet."""
        ...

    def swap(self, key: str, version: int, state: Mapping[str, Any]) -> bool:
        """Put `state` in place of the one of `version`; False when another program was faster."""
        ...


@dataclass(frozen=True, slots=True)
class _Record:
    """What lies in the store."""

    state: BreakerState
    probe_at: float = 0.0
    """When the probe began, while one is running."""


class SharedBreaker(Breaker):
    """The breaker of one tool or target for all programs that use the same store.

    `now` gives seconds that mean the same in all of them, so those of the wall clock.
    """

    def __init__(
        self,
        settings: BreakerSettings,
        store: BreakerStore,
        key: str,
        listener: Callable[[BreakerState], None] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(settings, now, listener)
        self._store = store
        self._key = key
        self._alone = False
        self._alone_until = 0.0

    @property
    def state(self) -> BreakerState:
        """The state of this moment, as the store has it."""
        if not self._is_alone():
            try:
                self._state = self._looked_up(self._load()[1]).state
            except StoreError as error:
                self._go_alone(error)
        return self._state

    def settle(self, *, ok: bool | None, probe: bool = False, error: str = "") -> None:
        """Account for the end of an admitted call; a good one is no news where there was no trouble."""
        if ok and not probe and not self._counts_all and self._state == BreakerState():
            self.recent.append("ok")
            return
        super().settle(ok=ok, probe=probe, error=error)

    def _change(
        self, step: Callable[[BreakerState], tuple[BreakerState, T]]
    ) -> tuple[BreakerState, BreakerState, T]:
        known = self._state
        if not self._is_alone():
            try:
                after, answer = self._shared_step(step)
            except StoreError as error:
                self._go_alone(error)
            else:
                self._state = after
                return known, after, answer
        return super()._change(step)

    def _shared_step(self, step: Callable[[BreakerState], tuple[BreakerState, T]]) -> tuple[BreakerState, T]:
        for _ in range(_TRIES):
            version, record = self._load()
            now = self._looked_up(record)
            after, answer = step(now.state)
            if after == record.state:
                return after, answer
            probe_at = now.probe_at
            if after.phase is Phase.HALF_OPEN and now.state.phase is not Phase.HALF_OPEN:
                probe_at = self._now()
            if self._store.swap(self._key, version, _written(_Record(after, probe_at))):
                return after, answer
        raise StoreError(f"The breaker {self._key} is changed by other programs without a pause.")

    def _load(self) -> tuple[int, _Record]:
        version, kept = self._store.load(self._key)
        return version, _Record(BreakerState()) if kept is None else _read(kept)

    def _looked_up(self, record: _Record) -> _Record:
        """The record, due for a probe where one was lost with its program or the clock was set back."""
        state, now = record.state, self._now()
        if state.phase is Phase.CLOSED:
            return record
        is_open = state.phase is Phase.OPEN
        since = now - (state.opened_at if is_open else record.probe_at)
        if since >= -SKEW and (is_open or since < max(LOST_AFTER, self.settings.cooldown)):
            return record
        due = now - self.settings.cooldown
        return replace(record, state=replace(state, phase=Phase.OPEN, opened_at=due))

    def _is_alone(self) -> bool:
        return time.monotonic() < self._alone_until

    def _go_alone(self, error: StoreError) -> None:
        _log.warning("%s The breaker goes on without the other programs.", error)
        self._alone_until = time.monotonic() + PAUSE


def _written(record: _Record) -> dict[str, Any]:
    return {**asdict(record.state), "probe_at": record.probe_at}


def _read(kept: Mapping[str, Any]) -> _Record:
    """The record of what a program wrote; one that cannot be read counts as none."""
    try:
        state = BreakerState(
            Phase(kept["phase"]),
            int(kept["failures"]),
            float(kept["opened_at"]),
            str(kept["last_error"]),
            tuple(bool(one) for one in kept["window"]),
        )
        record = _Record(state, float(kept["probe_at"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        return _Record(BreakerState())
    return record if math.isfinite(state.opened_at + record.probe_at) else _Record(BreakerState())

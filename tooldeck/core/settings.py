"""Settings that travel with a tool: retries, breaker, limits. All times are seconds as float."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from tooldeck.core.errors import DefinitionError

__all__ = ["BreakerSettings", "LoopSettings", "RetrySettings", "loop_settings"]


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """How often and how patiently an idempotent tool is tried again."""

    attempts: int = 3
    """The most attempts of one call, the first included. 1 means never again."""
    base: float = 0.5
    """Seconds before the second attempt, at most; doubles with every further one (full jitter)."""
    cap: float = 30.0
    """The longest single wait in seconds. A tool that asks for a longer one is not tried again."""
    budget: float = 60.0
    """Seconds that all waits of one call may take together."""
    on: type[BaseException] | tuple[type[BaseException], ...] = ()
    """Exception types that are worth another attempt beside those of the connection."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        _exception_types("retry on", self.on)
        _whole("retry attempts", self.attempts, 1)
        for name in ("base", "cap", "budget"):
            _seconds(f"retry {name}", getattr(self, name))

    def pause(self, attempt: int, retry_after: float | None) -> float:
        """Seconds before the attempt after this one, no fewer than were asked for; attempts count from 1."""
        # The exponent is bounded, so that no count can overflow.
        ceiling = min(self.cap, self.base * 2.0 ** min(attempt - 1, 60))
        pause = random.uniform(0.0, ceiling)  # noqa: S311 - spreading load, not secrecy
        return max(pause, retry_after or 0.0)

    @property
    def types(self) -> tuple[type[BaseException], ...]:
        """The further types that are worth another attempt, also where it is one."""
        return _exception_types("retry on", self.on)


@dataclass(frozen=True, slots=True)
class BreakerSettings:
    """When a failing tool is left alone."""

    threshold: int = 5
    """Failures in a row that open the breaker. 0 switches this rule off."""
    cooldown: float = 30.0
    """Seconds an open breaker refuses calls before it admits one probe."""
    rate: float | None = None
    """Share of failures, above 0 and at most 1, that opens it as well; None switches this rule off."""
    window: int = 20
    """Counted calls, the last ones, that the rate is taken of."""
    minimum: int = 10
    """Counted calls before the rate says anything."""
    ignore: type[BaseException] | tuple[type[BaseException], ...] = ()
    """Exception types that count neither way."""
    shared: bool = False
    """Whether all programs that use the deck's store see one breaker; needs ``Deck(store=…)``."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        _whole("breaker threshold", self.threshold, 0)
        _seconds("breaker cooldown", self.cooldown)
        _whole("breaker window", self.window, 1)
        _whole("breaker minimum", self.minimum, 1)
        if self.rate is not None:
            _share("breaker rate", self.rate)
            if self.minimum > self.window:
                raise DefinitionError(
                    f"breaker minimum {self.minimum} is more than its window of {self.window} calls, so the "
                    "rate would never count; make the window larger."
                )
        _exception_types("breaker ignore", self.ignore)
        if not isinstance(self.shared, bool):
            raise DefinitionError(f"breaker shared must be True or False, got {self.shared!r}.")

    @property
    def ignored(self) -> tuple[type[BaseException], ...]:
        """The types to ignore, also where it is one."""
        return _exception_types("breaker ignore", self.ignore)

    @property
    def off(self) -> bool:
        """Whether no rule can open it."""
        return self.threshold == 0 and self.rate is None


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """When repetition without progress is told, refused and ended. 0 switches a step off."""

    warn: int = 3
    """Equal calls with equal results after which the caller is told."""
    block: int = 5
    """Equal calls with equal results after which the next one is refused."""
    halt: int = 3
    """Refused calls after which the run is stopped."""
    period: int = 4
    """Different calls that may take turns and still be one repetition; 1 or more."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        for name, least in (("warn", 0), ("block", 0), ("halt", 0), ("period", 1)):
            _whole(f"loop guard {name}", getattr(self, name), least)


def loop_settings(given: Any) -> LoopSettings | None:
    """`given`, if it is settings of the loop guard or None; else `DefinitionError`."""
    if given is None or isinstance(given, LoopSettings):
        return given
    raise DefinitionError(f"loop_guard must be LoopSettings, as in LoopSettings(block=10), got {given!r}.")


def _exception_types(what: str, given: Any) -> tuple[type[BaseException], ...]:
    """One exception type or several, as a tuple; `DefinitionError` for anything else."""
    types: tuple[Any, ...] = given if isinstance(given, tuple) else (given,)
    for one in types:
        if not (isinstance(one, type) and issubclass(one, BaseException)):
            raise DefinitionError(f"{what} must be exception types such as OSError, got {one!r}.")
    return types


def _share(what: str, given: Any) -> None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1:
        raise DefinitionError(f"{what} must be a share above 0 and at most 1, as in 0.5, got {given!r}.")


def _whole(what: str, given: Any, least: int) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise DefinitionError(f"{what} must be a whole number, {least} or more, got {given!r}.")


def _seconds(what: str, given: Any) -> None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise DefinitionError(f"{what} must be 0 or more seconds, got {given!r}.")

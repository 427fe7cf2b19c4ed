"""Settings that travel with a tool: retries, breaker, limits. All times are seconds as float."""

from __future__ import annotations

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

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        _whole("retry attempts", self.attempts, 1)
        for name in ("base", "cap", "budget"):
            _seconds(f"retry {name}", getattr(self, name))


@dataclass(frozen=True, slots=True)
class BreakerSettings:
    """When a failing tool is left alone."""

    threshold: int = 5
    """Failures in a row that open the breaker. 0 switches the breaker off."""
    cooldown: float = 30.0
    """Seconds an open breaker refuses calls before it admits one probe."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        _whole("breaker threshold", self.threshold, 0)
        _seconds("breaker cooldown", self.cooldown)


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


def _whole(what: str, given: Any, least: int) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise DefinitionError(f"{what} must be a whole number, {least} or more, got {given!r}.")


def _seconds(what: str, given: Any) -> None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise DefinitionError(f"{what} must be 0 or more seconds, got {given!r}.")

"""Settings that travel with a tool: retries, breaker, limits. All times are seconds as float."""

from __future__ import annotations

from dataclasses import dataclass

from tooldeck.core.errors import DefinitionError

__all__ = ["BreakerSettings", "RetrySettings"]


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """How often and how patiently an idempotent tool is tried again."""

    attempts: int = 3
    """The most attempts of one call, the first included. 1 means never again."""
    base: float = 0.5
    """Seconds before the second attempt, at most; doubles with every further one (full jitter)."""
    cap: float = 30.0
    """The longest single wait in seconds, also against a larger Retry-After."""
    budget: float = 60.0
    """Seconds that all waits of one call may take together."""

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise DefinitionError(f"retry attempts must be 1 or more, got {self.attempts!r}.")
        for name in ("base", "cap", "budget"):
            if not getattr(self, name) >= 0:
                raise DefinitionError(f"retry {name} must be 0 or more seconds, got {getattr(self, name)!r}.")


@dataclass(frozen=True, slots=True)
class BreakerSettings:
    """When a failing tool is left alone."""

    threshold: int = 5
    """Failures in a row that open the breaker. 0 switches the breaker off."""
    cooldown: float = 30.0
    """Seconds an open breaker refuses calls before it admits one probe."""

    def __post_init__(self) -> None:
        if self.threshold < 0:
            raise DefinitionError(f"breaker threshold must be 0 (off) or more, got {self.threshold!r}.")
        if not self.cooldown >= 0:
            raise DefinitionError(f"breaker cooldown must be 0 or more seconds, got {self.cooldown!r}.")

"""What one run of a model may use up, and the account that is kept of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from tooldeck.core.deadline import Stopwatch
from tooldeck.core.errors import DefinitionError
from tooldeck.core.messages import Usage

__all__ = ["Account", "RunLimits"]


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How far a run may go. None is no limit; the defaults are finite where a model could go on for ever."""

    rounds: int = 24
    """Replies of the model."""
    calls: int = 100
    """Calls of tools. Those beyond it are answered, and not run."""
    seconds: float | None = None
    """The model is broken off then. Calls under way are not: give tools a ``timeout``. The time in which a
    person is asked does not count."""
    tokens: int | None = None
    """Tokens in and out, those of runs that its calls start included; looked at after each reply."""
    cost: float | None = None
    """The same, in the currency of the model's prices; a model that tells no cost is refused after its first
    reply."""
    reply_chars: int = 1_000_000
    """Characters of one reply; a longer one is broken off."""
    troubles: int = 2
    """Replies in a row that cannot be understood and are asked for again."""
    parallel: int = 8
    """Calls that run at once, where their effects allow it."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        for name in ("rounds", "calls", "reply_chars", "troubles", "parallel"):
            given, least = getattr(self, name), 0 if name in ("calls", "troubles") else 1
            if type(given) is not int or given < least:
                raise DefinitionError(
                    f"{name} of a run must be a whole number, {least} or more, got {given!r}."
                )
        for name in ("seconds", "tokens", "cost"):
            given = getattr(self, name)
            if given is not None and (type(given) not in (int, float) or not given > 0):
                raise DefinitionError(f"{name} of a run must be a number above 0 or None, got {given!r}.")


class Account:
    """What a run has used up so far."""

    def __init__(self, limits: RunLimits, now: Callable[[], float]) -> None:
        self.limits = limits
        self.rounds = 0
        self.calls = 0
        self.usage = Usage()
        """By its own model."""
        self.inner = Usage()
        """By the models of runs that its calls started, and for tools and servers that wanted a reply: it is
        within its limits as well."""
        self.untold = False
        """Whether such a reply told no cost."""
        self.within: Account | None = None
        """The account of the run around it, whose limits hold here too."""
        self._now = now
        self.started = now()
        self.watch = Stopwatch(now)
        """Stands still while a person is asked."""
        self._before = 0.0
        self.lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """Since the start."""
        return self._now() - self.started

    @property
    def worked(self) -> float:
        """Seconds that count towards the limit: those in which nobody was asked."""
        return self._before + self.watch.seconds

    @property
    def seconds_left(self) -> float | None:
        """Until the limit, 0 where it has passed; None without one."""
        limit = self.limits.seconds
        return None if limit is None else max(0.0, limit - self.worked)

    def took(self, seconds: float, worked: float) -> None:
        """Count what the same run took before."""
        self.started -= seconds
        self._before += worked

    def calls_left(self) -> int:
        """Calls that may still be made."""
        return max(0, self.limits.calls - self.calls)

    def spent(self) -> str | None:
        """Which limit is reached, in words; None while none is."""
        limits = self.limits
        if self.rounds >= limits.rounds:
            return f"the model has replied {limits.rounds} times, the limit of this run"
        if self.calls >= limits.calls > 0:
            return f"{limits.calls} calls were made, the limit of this run"
        if limits.seconds is not None and self.worked >= limits.seconds:
            return f"{limits.seconds:g} s have passed, the limit of this run"
        used = self.used
        if limits.tokens is not None and used.total >= limits.tokens:
            return f"{used.total} tokens were used, and {limits.tokens} are the limit of this run"
        if limits.cost is not None and used.cost is not None and used.cost >= limits.cost:
            return f"{used.cost:.4g} were spent, and {limits.cost:g} are the limit of this run"
        around = None if self.within is None else self.within.overdrawn()
        return None if around is None else f"{around} around it"

    def overdrawn(self) -> str | None:
        """Which limit of tokens or cost is reached, here or in a run around it."""
        used, limits = self.used, self.limits
        if limits.tokens is not None and used.total >= limits.tokens:
            return f"the limit of {limits.tokens} tokens is reached of the run"
        if limits.cost is not None and used.cost is not None and used.cost >= limits.cost:
            return f"the limit of {limits.cost:g} in cost is reached of the run"
        return None if self.within is None else self.within.overdrawn()

    @property
    def used(self) -> Usage:
        """By its own model and within it."""
        return self.usage + self.inner

    @property
    def tokens_left(self) -> int | None:
        """See `tooldeck.core.run.RunAccount`."""
        limit = self.limits.tokens
        own = None if limit is None else max(0, limit - self.used.total)
        around = None if self.within is None else self.within.tokens_left
        return min((left for left in (own, around) if left is not None), default=None)

    def charge(self, usage: Usage) -> None:
        """Count what its own model used, here and in the runs around it."""
        self.usage += usage
        if self.within is not None:
            self.within.charge_inner(usage)

    def charge_inner(self, usage: Usage) -> None:
        """Count what was used within its calls, here and in the runs around it."""
        around: Account | None = self
        while around is not None:
            with around.lock:
                around.inner += usage
            around = around.within

    def charge_aside(self, usage: Usage) -> None:
        """See `tooldeck.core.run.RunAccount`."""
        self.charge_inner(usage)
        self.untold = self.untold or usage.cost is None

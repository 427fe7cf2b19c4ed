"""For tests of tools: a host whose clock stands still until it is moved, with answers given beforehand."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, Self, TypeVar

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.deadline import Deadline, as_deadline
from tooldeck.core.host import LimitPassed, Work
from tooldeck.deck import Deck
from tooldeck.hosts.asynchronous import AsyncHost
from tooldeck.hosts.background import background

__all__ = ["FakeHost", "ManualClock", "fake_deck"]

T = TypeVar("T")
Answer = Decision | bool | Callable[[ApprovalRequest], Decision]


class ManualClock:
    """Monotonic seconds that pass only when told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds


class FakeHost:
    """A host for tests: sleeping moves the clock at once, approvals are answered from a list.

    `requests` has every request made, `sleeps` every wait in seconds. A body that calls ``clock.advance``
    beyond its time limit has passed it. With no answer left a request is refused by nobody.
    """

    in_place = False  # the clock is asked about every body

    def __init__(self, answers: Iterable[Answer] = (), clock: ManualClock | None = None) -> None:
        self.clock = clock or ManualClock()
        self.answers = list(answers)
        self.requests: list[ApprovalRequest] = []
        self.sleeps: list[float] = []
        self._suspends = False

    def for_await(self) -> Self:
        """The same host (clock, answers and records shared) for awaited calls."""
        other = copy.copy(self)
        other._suspends = True  # noqa: SLF001 - it is one of us
        return other

    def now(self) -> float:
        """The clock's seconds."""
        return self.clock.seconds

    async def sleep(self, seconds: float, woken: Future[Any]) -> None:
        """Move the clock; not where `woken` is done already."""
        self.sleeps.append(seconds)
        if not woken.done():
            self.clock.advance(seconds)

    async def wait(self, future: Future[T], timeout: float | None = None) -> T:
        """The result of a future, waited for in real time; an awaited call leaves its loop free meanwhile."""
        if self._suspends:
            return await AsyncHost().wait(future, timeout)
        return future.result(timeout)

    async def run(self, work: Work) -> Any:
        """Run the body here and now; its limit is measured on the clock."""
        limit = as_deadline(work.limit, self.now)
        try:
            value = await self._value(work)
        except Exception:
            _check(limit, work)
            raise
        _check(limit, work)
        return value

    async def _value(self, work: Work) -> Any:
        if work.executor is not None:
            value = work.executor.submit(work.function).result()
        elif work.is_async and not self._suspends:
            value = background().submit(work.function).result()
        else:
            value = work.function()
            if work.is_async and inspect.isawaitable(value):
                value = await value
        return value

    async def ask(self, request: ApprovalRequest) -> Decision:
        """The next answer."""
        self.requests.append(request)
        if not self.answers:
            return Decision(False, by="nobody", note="the test gave no answer")
        answer = self.answers.pop(0)
        if isinstance(answer, bool):
            return Decision(answer)
        return answer(request) if callable(answer) else answer


def _check(limit: Deadline | None, work: Work) -> None:
    """Raise `LimitPassed` where the body took longer than it may."""
    if limit is not None and limit.left() < 0:
        raise LimitPassed(limit.first.seconds, still_running=not work.is_async)


def fake_deck(answers: Iterable[Answer] = (), **options: Any) -> tuple[Deck, FakeHost]:
    """A deck on a fake host, for blocking and awaited calls alike, and that host."""
    host = FakeHost(answers)
    return Deck(host=host, async_host=host.for_await(), **options), host

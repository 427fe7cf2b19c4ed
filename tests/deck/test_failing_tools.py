"""Tools that fail: what is tried again, what is left alone, and what never counts against a tool."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tooldeck import BreakerSettings, Decision, Deck, ExpectedError, RetrySettings, TransientError
from tooldeck.core.breaker import Phase
from tooldeck.core.events import AttemptStarted, BreakerMoved
from tooldeck.testing import fake_deck

ROOM = 0.2
"""Seconds that a loaded machine may add."""


class Flaky:
    """Fails a number of times, then works."""

    def __init__(self, failures, error=None):
        self.failures, self.error, self.runs = failures, error or ConnectionError("down"), 0

    def __call__(self, x: int = 0) -> int:
        self.runs += 1
        if self.runs <= self.failures:
            raise self.error
        return x


def test_a_read_only_tool_is_tried_again_until_it_works(run, events):
    deck, host = fake_deck()
    body = Flaky(2)
    deck.add(body, name="f", effects="read")
    seen = events(deck)
    result = run(deck, "f", x=7)
    assert (result.value, result.attempts, body.runs) == (7, 3, 3)
    assert [event.attempt for event in seen if isinstance(event, AttemptStarted)] == [1, 2, 3]
    assert len(host.sleeps) == 2
    assert host.sleeps[0] <= 0.5
    assert host.sleeps[1] <= 1.0


@pytest.mark.parametrize("options", [{}, {"effects": "write"}, {"effects": "network"}], ids=repr)
def test_a_tool_that_is_not_declared_repeatable_runs_once_and_says_why(run, options):
    deck, host = fake_deck(policy="auto")
    body = Flaky(1, TimeoutError("late"))
    deck.add(body, name="pay", **options)
    result = run(deck, "pay")
    assert body.runs == 1
    assert host.sleeps == []
    assert "not repeated, because the tool is not declared idempotent" in result.error


def test_an_idempotent_tool_is_tried_again_whatever_it_does(run, auto):
    deck, _ = auto
    body = Flaky(1)
    deck.add(body, name="put", effects="write", idempotent=True)
    assert run(deck, "put").attempts == 2


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(),
        KeyError(),
        FileNotFoundError(),
        PermissionError(),
        AssertionError(),
        ExpectedError("no"),
    ],
    ids=repr,
)
def test_a_failure_that_will_not_pass_is_not_tried_again(run, auto, error):
    deck, _ = auto
    body = Flaky(1, error)
    deck.add(body, name="f", effects="read")
    assert run(deck, "f").attempts == 1


@pytest.mark.parametrize(
    ("retry", "runs"), [(1, 1), (2, 2), (5, 5), (RetrySettings(attempts=4), 4), (None, 3)], ids=repr
)
def test_attempts_are_exactly_those_declared_the_first_included(run, auto, retry, runs):
    deck, _ = auto
    body = Flaky(100)
    deck.add(body, name="renamed", effects="read", retry=retry)
    result = run(deck, "renamed")
    assert (body.runs, result.attempts, result.status) == (runs, runs, "failed")
    assert result.exception is body.error


def test_attempts_and_waits_show_in_the_trace(run):
    deck, _ = fake_deck(trace=True)
    deck.add(Flaky(2), name="f", effects="read")
    names = [span.name for span in run(deck, "f").trace]
    assert [name for name in names if name.startswith(("attempt", "wait"))] == [
        "attempt 1",
        "wait",
        "attempt 2",
        "wait",
        "attempt 3",
    ]


def test_the_wait_that_was_asked_for_is_the_least_wait(run, auto):
    deck, host = auto
    deck.add(Flaky(1, TransientError("busy", retry_after=9)), name="f", effects="read")
    assert run(deck, "f").ok
    assert 9 <= host.sleeps[0] <= 9.5


def test_a_wait_longer_than_allowed_is_not_begun_and_is_told(run, auto):
    deck, host = auto
    deck.add(Flaky(1, TransientError("busy", retry_after=86_400)), name="f", effects="read")
    result = run(deck, "f")
    assert (result.status, result.attempts, result.retry_after) == ("failed", 1, 86_400)
    assert host.sleeps == []
    assert "86400.0 s" in str(result.notes[-1])


def test_all_waits_together_stay_within_the_budget(run, auto):
    deck, host = auto
    settings = RetrySettings(attempts=100, base=1000, cap=50, budget=120)
    deck.add(Flaky(1000), name="f", effects="read", retry=settings)
    run(deck, "f")
    assert max(host.sleeps) <= 50
    assert sum(host.sleeps) <= 120


def test_thousands_of_attempts_do_not_overflow_the_wait(run, auto):
    deck, _host = auto
    deck.add(Flaky(1500), name="f", effects="read", retry=RetrySettings(attempts=2000, cap=0.001, budget=10))
    assert run(deck, "f").attempts == 1501


def test_a_retried_call_counts_once_for_the_breaker(run, auto):
    deck, _ = auto
    deck.add(Flaky(100), name="f", effects="read", breaker=2)
    run(deck, "f")
    assert deck.breaker("f").state.failures == 1


def test_the_breaker_stops_a_failing_tool_and_lets_it_back(run, events):
    deck, host = fake_deck(policy="auto")
    body = Flaky(5, ValueError("down"))
    deck.add(body, name="f", breaker=BreakerSettings(threshold=5, cooldown=30))
    seen = events(deck)
    results = [run(deck, "f") for _ in range(20)]
    assert body.runs == 5
    assert [result.status for result in results] == ["failed"] * 5 + ["tripped"] * 15
    assert deck.breaker("f").state.phase is Phase.OPEN
    assert "failed 5 times in a row (last: ValueError: down)" in results[-1].error
    assert "one probe may run in 30 s" in results[-1].error
    assert results[-1].retry_after == 30
    assert host.sleeps == []
    host.clock.advance(30)
    assert run(deck, "f").ok
    assert run(deck, "f").ok
    phases = [event.state.phase for event in seen if isinstance(event, BreakerMoved)]
    assert phases == ["closed"] * 4 + ["open", "half-open", "closed"]


def test_failures_between_successes_never_open_it(run, auto):
    deck, _ = auto
    outcomes = iter([False, False, True] * 10)

    def f():
        if not next(outcomes):
            raise ValueError

    deck.add(f, breaker=3)
    assert "tripped" not in {run(deck, "f").status for _ in range(30)}


def test_mistakes_of_the_caller_and_refusals_never_count(run):
    deck, _host = fake_deck([False] * 5 + [True] * 9)
    body = Flaky(2, KeyboardInterrupt())
    deck.add(body, name="f", breaker=3)
    for _ in range(5):
        run(deck, "f", y=1)
        run(deck, "f", x=1)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run(deck, "f")
    assert run(deck, "f").ok
    body.failures, body.error = 99, ConnectionError()
    assert [run(deck, "f").status for _ in range(4)] == ["failed"] * 3 + ["tripped"]


def test_a_proper_no_never_counts(run, auto):
    deck, _ = auto
    deck.add(Flaky(100, ExpectedError("no such key")), name="f", breaker=2)
    deck.add(lambda: {"error": "no such key"}, name="g", breaker=2)
    assert {run(deck, "f").status for _ in range(5)} == {"failed"}
    assert {run(deck, "g").status for _ in range(5)} == {"ok"}


def test_a_breaker_of_nought_is_off(run, auto):
    deck, _ = auto
    deck.add(Flaky(100), name="f", breaker=0)
    assert {run(deck, "f").status for _ in range(20)} == {"failed"}


def test_unknown_names_keep_nothing(run, auto):
    deck, _ = auto
    for number in range(200):
        run(deck, f"made_up_{number}")
    assert deck._circuits._breakers == {}


def test_thousands_of_bare_functions_keep_only_the_last(run, auto):
    deck, _ = auto
    for number in range(300):
        assert run(deck, _named(number)).value == number
    assert len(deck._circuits._breakers) <= 256
    assert all(len(line.chains) <= 256 for line in deck._lines._lines.values())


def _named(number):
    def function():
        return number

    return function


def test_a_namesake_that_is_not_in_the_deck_leaves_the_breaker_alone(run, auto):
    deck, _ = auto

    def f():
        raise ValueError

    deck.add(f, breaker=1)
    run(deck, "f")
    assert run(deck, "f").status == "tripped"
    namesake = _named(1)
    namesake.__name__ = "f"
    assert run(deck, namesake).value == 1
    assert run(deck, "f").status == "tripped"


def test_a_redefined_tool_starts_with_a_closed_breaker(run, auto):
    deck, _ = auto
    deck.add(lambda: 1 / 0, name="f", breaker=1)
    run(deck, "f")
    deck.add(lambda: 1, name="f", breaker=1)
    assert run(deck, "f").value == 1


def test_a_bare_function_that_fails_is_left_alone_too(run, auto):
    deck, _ = auto

    def fail():
        raise ValueError

    assert [run(deck, fail).status for _ in range(6)] == ["failed"] * 5 + ["tripped"]


async def test_of_calls_at_once_on_a_half_open_breaker_one_is_the_probe():
    deck, host = fake_deck(policy="auto")
    release = asyncio.Event()
    works = False
    runs = 0

    async def f():
        nonlocal runs
        runs += 1
        if not works:
            raise ConnectionError
        await release.wait()

    deck.add(f, breaker=BreakerSettings(3, 10))
    for _ in range(3):
        await deck.acall("f")
    host.clock.advance(10)
    works, runs = True, 0
    calls = [asyncio.create_task(deck.acall("f")) for _ in range(5)]
    refused = [await asyncio.wait_for(call, 5) for call in calls[1:]]
    assert runs == 1
    assert all("a probe is in progress" in result.error for result in refused)
    release.set()
    assert (await asyncio.wait_for(calls[0], 5)).ok
    assert (await deck.acall("f")).ok


async def test_a_cancelled_probe_leaves_room_for_another():
    deck, host = fake_deck(policy="auto")
    hang = asyncio.Event()
    works = False

    async def f():
        if not works:
            raise ConnectionError
        await hang.wait()
        return "ok"

    deck.add(f, breaker=BreakerSettings(1, 10))
    await deck.acall("f")
    host.clock.advance(10)
    works = True
    probe = asyncio.create_task(deck.acall("f"))
    await asyncio.sleep(0)
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe
    hang.set()
    assert (await deck.acall("f")).value == "ok"


def test_a_time_limit_that_passed_counts_and_is_not_tried_again(run):
    deck, host = fake_deck(policy="auto")
    deck.add(lambda: host.clock.advance(3), name="slow", timeout=2, breaker=2, effects="read")
    result = run(deck, "slow")
    assert (result.status, result.attempts) == ("timeout", 1)
    assert "took longer than its limit of 2 s; its body may still be running" in result.error
    run(deck, "slow")
    assert run(deck, "slow").status == "tripped"


def test_a_limit_that_was_kept_changes_nothing(run):
    deck = Deck(policy="auto")
    deck.add(lambda x: x, name="f", timeout=30)
    assert run(deck, "f", x=5).value == 5


def test_a_blocking_body_is_answered_for_within_a_twentieth_of_a_second(run):
    deck = Deck(policy="auto")
    free = threading.Event()
    deck.add(lambda: free.wait(30), name="hang", timeout=0.1)
    try:
        result = run(deck, "hang")
    finally:
        free.set()
    assert result.status == "timeout"
    assert 0.1 <= result.seconds < 0.15 + ROOM


def test_an_async_body_is_stopped_at_its_limit(run):
    deck = Deck(policy="auto")
    ended = threading.Event()

    async def hang():
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    deck.add(hang, timeout=0.05)
    result = run(deck, "hang")
    assert result.status == "timeout"
    assert "still be running" not in result.error
    assert ended.wait(5)


def test_an_async_body_that_ignores_its_cancellation_is_left_behind_and_told(run):
    deck = Deck(policy="auto")
    release = threading.Event()

    async def stubborn():
        while not release.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    deck.add(stubborn, timeout=0.05)

    async def go():
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(deck.acall("stubborn"))), 5)
        finally:
            release.set()

    try:
        result = asyncio.run(go()) if type(run).__name__ == "Awaited" else run(deck, "stubborn")
    finally:
        release.set()
    assert result.status == "timeout"
    assert "still be running" in result.error


def test_a_time_out_that_the_body_raises_itself_is_its_own_failure(run):
    deck = Deck(policy="auto")

    def f():
        raise TimeoutError("mine")

    async def g():
        raise TimeoutError("mine")

    deck.add(f, timeout=30)
    deck.add(g, timeout=30)
    for name in "fg":
        result = run(deck, name)
        assert result.status == "failed"
        assert result.error.startswith("TimeoutError: mine")


def test_hung_bodies_hold_up_nobody_else():
    deck = Deck(policy="auto")
    free = threading.Event()
    deck.add(lambda: free.wait(30), name="hang", timeout=0.05, breaker=0)
    deck.add(lambda x: x, name="healthy", timeout=30)
    try:
        assert {deck.call("hang").status for _ in range(12)} == {"timeout"}
        assert deck.call("healthy", x=1).value == 1
    finally:
        free.set()


def test_eight_bodies_with_limits_at_once_each_have_their_own_clock():
    deck = Deck(policy="auto")
    together = threading.Barrier(8)
    deck.add(lambda: together.wait(10), name="meet", timeout=10)

    async def all_at_once():
        return await asyncio.gather(*(deck.acall("meet") for _ in range(8)))

    assert {result.status for result in asyncio.run(all_at_once())} == {"ok"}


def test_settings_reach_the_breaker_through_the_decision_to_retry(run):
    deck, _ = fake_deck([Decision(True), Decision(True)])
    body = Flaky(1)
    deck.add(body, name="f", effects="write", idempotent=True, retry=2, breaker=1)
    assert run(deck, "f").attempts == 2
    assert deck.breaker("f").state.phase is Phase.CLOSED

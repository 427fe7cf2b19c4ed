"""Time limits, of one attempt and of a whole call; bodies that hang hold up nobody else."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from tooldeck import BaseTool, CancelToken, Decision, Deck, Injected, RetrySettings, TransientError
from tooldeck.hosts import threads
from tooldeck.testing import fake_deck

ROOM = 0.2
"""Seconds that a loaded machine may add."""


@pytest.fixture
def free():
    """An event that hung bodies wait for, set in the end."""
    event = threading.Event()
    yield event
    event.set()


def test_all_attempts_and_waits_together_stay_within_the_limit_of_the_call(run, auto):
    deck, host = auto

    def f():
        host.clock.advance(3)
        raise TransientError("busy", retry_after=1)

    deck.add(f, effects="read", call_timeout=10, retry=RetrySettings(attempts=9, base=0))
    result = run(deck, "f")
    assert (result.status, result.attempts, host.sleeps) == ("timeout", 3, [1, 1])
    assert "took longer than its limit, for the whole call, of 10 s" in result.error


def test_a_wait_beyond_the_limit_of_the_call_is_not_begun(run, auto):
    deck, host = auto

    def f():
        host.clock.advance(4)
        raise TransientError("busy", retry_after=7)

    deck.add(f, effects="read", call_timeout=10, retry=RetrySettings(base=0))
    result = run(deck, "f")
    assert (result.status, result.attempts, host.sleeps) == ("failed", 1, [])
    assert "needs a wait of 7.0 s, and 6.0 s are allowed" in str(result.notes[0])


def test_the_shorter_of_two_limits_holds_and_is_named(run, auto):
    deck, host = auto
    deck.add(lambda: host.clock.advance(3), name="f", timeout=2, call_timeout=30)
    deck.add(lambda: host.clock.advance(3), name="g", timeout=30, call_timeout=2)
    assert "longer than its limit of 2 s" in run(deck, "f").error
    assert "longer than its limit, for the whole call, of 2 s" in run(deck, "g").error


@pytest.mark.parametrize("option", ["timeout", "call_timeout"])
def test_a_blocking_body_is_answered_for_at_once_and_said_to_go_on(run, free, option):
    deck = Deck(policy="auto")
    deck.add(lambda: free.wait(30), name="hang", **{option: 0.1})
    result = run(deck, "hang")
    assert result.status == "timeout"
    assert 0.1 <= result.seconds < 0.15 + ROOM
    assert "its body may still be running" in result.error


@pytest.mark.parametrize("option", ["timeout", "call_timeout"])
def test_an_async_body_is_really_stopped(run, option):
    deck = Deck(policy="auto")
    ended = threading.Event()

    async def hang():
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    deck.add(hang, **{option: 0.05})
    result = run(deck, "hang")
    assert result.status == "timeout"
    assert "still" not in result.error
    assert ended.wait(5)


def test_something_to_await_that_a_plain_function_gives_has_the_same_limit(run):
    deck = Deck(policy="auto")

    async def hang():
        await asyncio.Event().wait()

    deck.add(lambda: hang(), name="f", timeout=0.05)
    assert run(deck, "f").status == "timeout"


def test_a_class_may_declare_it_and_it_counts_against_the_tool(run, auto):
    deck, host = auto

    class Slow(BaseTool):
        """Slow."""

        call_timeout = 2
        breaker = 1

        def run(self) -> None:
            host.clock.advance(3)

    deck.add(Slow())
    assert [run(deck, "slow").status for _ in range(2)] == ["timeout", "tripped"]


def think(host, seconds):
    """An answer that takes a person so long."""

    def answer(_request):
        host.clock.advance(seconds)
        return Decision(True)

    return answer


def test_time_that_a_person_thinks_does_not_count(run):
    deck, host = fake_deck()
    host.answers.append(think(host, 1000))
    deck.add(lambda: host.clock.advance(1), name="f", effects="write", call_timeout=2)
    assert run(deck, "f").ok


@pytest.mark.parametrize("option", ["timeout", "call_timeout"])
def test_nor_does_it_count_against_the_calls_around(run, option):
    deck, host = fake_deck()
    host.answers += [True, think(host, 1000)]
    deck.add(lambda: 5, name="inner", effects="write")

    def outer() -> int:
        host.clock.advance(1)
        return deck.call("inner").unwrap()

    deck.add(outer, effects="execute", **{option: 2})
    result = run(deck, "outer")
    assert (result.status, result.value) == ("ok", 5)
    assert result.seconds > 1000


def test_a_person_may_think_for_longer_than_the_real_limit_of_the_call_around(run):
    def slowly(_request):
        time.sleep(0.4)  # a person thinks; there is no event to wait for
        return Decision(True)

    deck = Deck(approver=slowly)
    deck.add(lambda: 5, name="inner", effects="write")
    deck.add(lambda: deck.call("inner").unwrap(), name="outer", effects="none", timeout=0.2)
    assert run(deck, "outer").value == 5


def test_a_token_is_there_for_a_body_that_wants_to_end(run):
    deck = Deck(policy="auto")
    ended = threading.Event()

    def polite(token: Injected[CancelToken]):
        if token.wait(30):
            ended.set()

    deck.add(polite, timeout=0.05)
    assert run(deck, "polite").status == "timeout"
    assert ended.wait(10)


def test_a_tool_whose_bodies_all_hang_is_refused_in_the_end_and_others_are_not(run, free, monkeypatch):
    monkeypatch.setattr(threads, "MOST_OF_ONE", 3)
    deck = Deck(policy="auto")
    ended = []

    def hang():
        free.wait(30)
        ended.append(1)

    deck.add(hang, timeout=0.02, breaker=0)
    deck.add(lambda x: x, name="healthy", timeout=30)
    statuses = [run(deck, "hang").status for _ in range(5)]
    assert statuses == ["timeout"] * 3 + ["failed"] * 2
    assert "3 earlier calls of 'hang' passed their time limit and still run" in run(deck, "hang").error
    assert run(deck, "healthy", x=1).value == 1


def test_a_refusal_for_hung_bodies_counts_against_no_tool(run, free, monkeypatch):
    monkeypatch.setattr(threads, "MOST_OF_ALL", 2)
    deck = Deck(policy="auto")
    deck.add(lambda: free.wait(30), name="hang", timeout=0.02, breaker=0)
    deck.add(lambda: 1, name="healthy", timeout=30, breaker=1)
    for _ in range(2):
        run(deck, "hang")
    result = run(deck, "healthy")
    assert "2 bodies passed their time limits and still run, most of them of 'hang'" in result.error
    assert deck.breaker("healthy").quiet


def test_a_body_that_ends_after_all_is_no_longer_counted(run, eventually):
    deck = Deck(policy="auto")
    gate = threading.Event()
    deck.add(lambda: gate.wait(30), name="hang_for_a_while", timeout=0.02, breaker=0)
    run(deck, "hang_for_a_while")
    assert threads._left["hang_for_a_while"] == 1
    gate.set()
    eventually(lambda: "hang_for_a_while" not in threads._left, 10)


async def test_six_calls_at_once_each_have_their_own_clock_and_thread():
    deck = Deck(policy="auto")
    together = threading.Barrier(6)
    deck.add(lambda: together.wait(10), name="meet", call_timeout=10)
    results = await asyncio.gather(*(deck.acall("meet") for _ in range(6)))
    assert {result.status for result in results} == {"ok"}


async def test_the_loop_goes_on_while_a_limited_body_blocks(free):
    deck = Deck(policy="auto")
    deck.add(lambda: free.wait(30), name="block", timeout=20)
    call = asyncio.create_task(deck.acall("block"))
    for _ in range(20):
        await asyncio.sleep(0.001)
    assert not call.done()
    free.set()
    assert (await asyncio.wait_for(call, 10)).ok

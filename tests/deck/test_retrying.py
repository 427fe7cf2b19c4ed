"""What is tried again: by declaration and by type, never more often than said, and not past a stop."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import pytest

from tooldeck import Deck, DefinitionError, RetrySettings, Run, TransientError, calling
from tooldeck.core.events import RetryWaits
from tooldeck.testing import FakeHost, fake_deck


class Odd(Exception):
    """An exception of a client library that says nothing by itself."""


class Http(Exception):
    """An answer of a server."""

    def __init__(self, status, after=None):
        super().__init__(f"HTTP {status}")
        headers = {} if after is None else {"Retry-After": after}
        self.response = SimpleNamespace(status_code=status, headers=headers)


def failing(error, times=99):
    runs = []

    def f():
        runs.append(1)
        if len(runs) <= times:
            raise error
        return "made it"

    return f, runs


@pytest.mark.parametrize("on", [Odd, (KeyError, Odd), Exception], ids=["one", "several", "a base"])
def test_further_types_may_be_declared_worth_another_attempt(run, auto, on):
    deck, _ = auto
    f, runs = failing(Odd("later"), 2)
    deck.add(f, effects="read", retry=RetrySettings(attempts=3, on=on))
    assert run(deck, "f").value == "made it"
    assert len(runs) == 3


def test_a_declared_type_does_not_make_a_tool_repeatable(run, auto):
    deck, _ = auto
    f, runs = failing(Odd("later"))
    deck.add(f, effects="write", retry=RetrySettings(on=Odd))
    assert "not repeated, because the tool is not declared idempotent" in run(deck, "f").error
    assert len(runs) == 1


@pytest.mark.parametrize("wrong", ["OSError", (OSError, "x"), OSError(), 5], ids=repr)
def test_what_is_no_exception_type_is_refused(wrong):
    with pytest.raises(DefinitionError, match="retry on must be exception types"):
        RetrySettings(on=wrong)


def test_one_attempt_is_one_run_under_any_name(run, auto):
    deck, host = auto
    f, runs = failing(ConnectionError())
    deck.add(f, name="renamed", effects="read", retry=RetrySettings(attempts=1, on=Exception))
    assert run(deck, "renamed").attempts == len(runs) == 1
    assert host.sleeps == []


@pytest.mark.parametrize(
    "answer",
    [
        "no rate limit info for this account",
        "disconnected user not found",
        {"error": "network name already taken"},
        {"error": {"code": 404}},
        {"error": True},
        "HTTP 503 Service Unavailable",
    ],
    ids=str,
)
def test_an_answer_is_an_answer_whatever_words_are_in_it(run, auto, answer):
    deck, host = auto
    deck.add(lambda: answer, name="f", effects="read")
    result = run(deck, "f")
    assert result.value == answer
    assert (result.attempts, host.sleeps) == (1, [])


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_status_codes_of_a_passing_trouble_are_tried_again(run, auto, status):
    deck, _ = auto
    f, _ = failing(Http(status), 1)
    deck.add(f, effects="read")
    assert run(deck, "f").attempts == 2


def test_a_payment_that_fails_after_the_fact_is_made_once(run, auto):
    deck, _ = auto
    paid = {"pay": [], "write": [], "read": []}

    def body(name, fails):
        def f(amount: int):
            paid[name].append(amount)
            if len(paid[name]) <= fails:
                raise TimeoutError("no answer")
            return amount

        return f

    deck.add(body("pay", 9), name="pay", idempotent=False, retry=3)
    deck.add(body("write", 9), name="write", effects="write", retry=3)
    deck.add(body("read", 2), name="read", effects="read", retry=3)
    for name in ("pay", "write"):
        assert "not repeated" in run(deck, name, amount=5).error
        assert paid[name] == [5]
    assert run(deck, "read", amount=5).attempts == 3


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [
        ("2", 2.0, 2.5),
        ("0", 0.0, 0.5),
        ("abc", 0.0, 0.5),
        ("-5", 0.0, 0.5),
        (timedelta(days=-1), 0.0, 0.5),
        (timedelta(minutes=9), 400.0, 541.0),
    ],
    ids=["2 s", "nought", "nonsense", "negative", "past", "date"],
)
def test_a_wait_that_a_server_asks_for_is_kept_and_nonsense_passed_over(run, auto, asked, least, most):
    deck, host = auto
    if isinstance(asked, timedelta):
        asked = format_datetime(datetime.now(UTC) + asked, usegmt=True)
    f, _ = failing(Http(429, asked), 1)
    deck.add(f, effects="read", retry=RetrySettings(cap=600, budget=600))
    assert run(deck, "f").ok
    assert least <= host.sleeps[0] <= most


def test_a_wait_of_a_day_is_refused_at_once_with_the_time_stated(run, auto):
    deck, host = auto
    f, _ = failing(Http(429, "86400"))
    deck.add(f, effects="read", retry=RetrySettings(cap=10))
    result = run(deck, "f")
    assert (result.attempts, result.retry_after, host.sleeps) == (1, 86_400, [])
    assert "86400.0 s" in str(result.notes[0])
    assert "10.0 s are allowed" in str(result.notes[0])


def test_layers_of_tools_do_not_multiply_their_attempts(run, auto):
    deck, _ = auto
    f, runs = failing(ConnectionError("down"))
    around = []

    @deck.tool(effects="read")
    def outer():
        """Around."""
        around.append(1)
        return deck["f"]()

    deck.add(f, effects="read")
    result = run(deck, "outer")
    assert (len(runs), len(around), result.attempts) == (3, 1, 1)
    assert "ConnectionError: down" in result.error


def test_a_failure_of_the_outer_body_itself_is_tried_again_although_an_inner_call_failed(run, auto):
    deck, _ = auto
    f, runs = failing(ConnectionError("down"))
    around = []

    @deck.tool(effects="read")
    def outer():
        """Around."""
        around.append(1)
        if not deck.call("f").ok and len(around) < 2:
            raise ConnectionError("mine")
        return "ok"

    deck.add(f, effects="read")
    assert run(deck, "outer").value == "ok"
    assert (len(runs), len(around)) == (6, 2)


def test_an_open_breaker_is_answered_without_any_wait(run, auto):
    deck, host = auto
    f, _ = failing(ConnectionError())
    deck.add(f, effects="read", breaker=1)
    run(deck, "f")
    host.sleeps.clear()
    assert run(deck, "f").status == "tripped"
    assert host.sleeps == []


def test_a_stopped_run_ends_the_wait_at_once(run):
    deck = Deck(policy="auto")
    mine, waits = Run(), threading.Event()
    f, runs = failing(TransientError("busy", retry_after=25))
    deck.add(f, effects="read")
    deck.subscribe(lambda event: waits.set() if isinstance(event, RetryWaits) else None)
    stopper = threading.Thread(target=lambda: waits.wait(20) and mine.stop("enough"))
    stopper.start()
    with calling(run=mine):
        result = run(deck, "f")
    stopper.join(10)
    assert (result.status, result.attempts, len(runs)) == ("cancelled", 1, 1)
    assert result.error == "f was not tried again: enough."
    assert result.seconds < 20
    assert deck.breaker("f").state.failures == 0


def test_an_interrupt_of_the_wait_ends_the_call():
    class Interrupted(FakeHost):
        async def sleep(self, seconds, woken):
            raise KeyboardInterrupt

    deck = Deck(policy="auto", host=Interrupted())
    f, runs = failing(ConnectionError())
    deck.add(f, effects="read", breaker=1)
    with pytest.raises(KeyboardInterrupt):
        deck.call("f")
    assert len(runs) == 1
    assert deck.history()[-1].status == "cancelled"
    assert deck.breaker("f").state.failures == 0


async def test_a_cancelled_task_does_not_wait_on():
    deck = Deck(policy="auto")
    waits = asyncio.Event()
    f, runs = failing(TransientError("busy", retry_after=25))
    deck.add(f, effects="read")
    deck.subscribe(lambda event: waits.set() if isinstance(event, RetryWaits) else None)
    call = asyncio.create_task(deck.acall("f"))
    await asyncio.wait_for(waits.wait(), 10)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, 10)
    assert len(runs) == 1


def test_the_loop_goes_on_while_an_awaited_call_waits():
    deck = Deck(policy="auto")
    f, _ = failing(TransientError("busy", retry_after=0.05), 1)
    deck.add(f, effects="read", retry=RetrySettings(base=0))

    async def both():
        call = asyncio.create_task(deck.acall("f"))
        ticks = 0
        while not call.done():
            ticks += 1
            await asyncio.sleep(0.001)
        return ticks, call.result()

    ticks, result = asyncio.run(asyncio.wait_for(both(), 20))
    assert result.value == "made it"
    assert ticks >= 5


def test_waits_go_by_a_host_s_clock_and_are_the_ones_told(run, events):
    deck, host = fake_deck(policy="auto")
    f, _ = failing(ConnectionError("x"), 2)
    deck.add(f, effects="read")
    seen = events(deck)
    run(deck, "f")
    waits = [event for event in seen if isinstance(event, RetryWaits)]
    assert [(wait.attempt, wait.error) for wait in waits] == [
        (1, "ConnectionError: x"),
        (2, "ConnectionError: x"),
    ]
    assert [wait.seconds for wait in waits] == host.sleeps

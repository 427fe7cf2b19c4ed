"""Bodies that end in odd ways hold up nobody: exceptions that loops cannot carry, streams without an end."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tooldeck import BreakerSettings, Deck
from tooldeck.core.events import CallEnded, CallStarted, Streamed
from tooldeck.testing import FakeHost, fake_deck


def nothing_left() -> str:
    return next(iter([]))


def test_a_stop_iteration_under_a_limit_is_a_failure_at_once(run):
    deck = Deck(policy="auto")
    deck.add(nothing_left, timeout=30)
    result = run(deck, "nothing_left")
    assert result.status == "failed"
    assert "StopIteration" in result.error
    assert result.seconds < 10


def test_an_approver_that_raises_stop_iteration_under_a_limit_has_not_approved(run):
    deck = Deck(policy="ask_everything", approver=lambda _request: nothing_left(), approval_timeout=30)
    deck.add(lambda: "ran", name="tool")
    result = run(deck, "tool")
    assert result.status == "denied"
    assert "StopIteration" in result.error
    assert result.seconds < 10


async def test_a_future_that_failed_with_stop_iteration_ends_an_awaited_wait():
    host = Deck().acall.__self__._async_host
    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(host.wait(pool.submit(nothing_left)), 10)


def test_a_stream_without_an_end_stops_when_its_call_is_given_up(run, events):
    deck = Deck(policy="auto")
    stopped = threading.Event()

    def endless():
        try:
            while True:
                yield 1
        finally:
            stopped.set()

    deck.add(endless, timeout=0.1)
    seen = events(deck)
    assert run(deck, "endless").status == "timeout"
    assert stopped.wait(10)
    end = next(place for place, event in enumerate(seen) if isinstance(event, CallEnded))
    assert not [event for event in seen[end + 2 :] if isinstance(event, Streamed)]  # one may be on its way


@pytest.mark.parametrize("options", [{}, {"timeout": 5.0}], ids=["free", "limited"])
@pytest.mark.parametrize("effects", ["none", "write"])
async def test_a_cancellation_that_a_body_makes_up_ends_its_own_call_and_no_other_of_the_batch(
    options, effects
):
    async def awaits_what_was_cancelled() -> None:
        task = asyncio.ensure_future(asyncio.sleep(30))
        await asyncio.sleep(0)
        task.cancel()
        await task

    deck = Deck(policy="auto")
    deck.add(awaits_what_was_cancelled, name="odd", effects=effects, **options)
    deck.add(lambda: "A", name="fine", effects=effects)
    results = await deck.acall_many([("fine", {}), ("odd", {}), ("fine", {})])
    assert [result.status for result in results] == ["ok", "cancelled", "ok"]


def test_a_cancellation_that_a_plain_body_raises_ends_no_other_call_of_a_batch():
    def odd() -> None:
        raise asyncio.CancelledError

    deck = Deck(policy="auto")
    for effects in ("none", "write"):
        deck.add(odd, effects=effects)
        deck.add(lambda: "A", name="fine", effects=effects)
        results = deck.call_many([("fine", {}), ("odd", {}), ("fine", {})])
        assert [result.status for result in results] == ["ok", "cancelled", "ok"]


def test_a_body_that_calls_itself_for_ever_does_not_switch_off_the_log(run):
    deck = Deck(policy="auto", store=":memory:")

    def again() -> object:
        return deck.call("again").unwrap()

    deck.add(again, effects="none", breaker=0)
    deck.add(lambda: 1, name="later")
    assert run(deck, "again").status == "failed"
    assert run(deck, "later").ok
    assert deck.log()[-1].name == "later"


def test_an_observer_that_makes_calls_at_every_event_is_left_out(run):
    deck, _host = fake_deck(policy="auto")
    deck.add(lambda: 1, name="tool")
    heard = []

    def observer(event):
        heard.append(event)
        if isinstance(event, CallStarted | CallEnded):
            deck.call("tool")

    deck.subscribe(observer)
    assert run(deck, "tool").ok
    heard.clear()
    assert run(deck, "tool").ok
    assert heard == []


def test_an_interrupt_of_one_observer_leaves_no_other_untold(run, events):
    deck, _host = fake_deck(policy="auto")
    deck.add(lambda: 1, name="tool")

    def interrupted(event):
        if isinstance(event, CallStarted):
            raise KeyboardInterrupt

    deck.subscribe(interrupted)
    seen = events(deck)
    with pytest.raises(KeyboardInterrupt):
        run(deck, "tool")
    assert [type(event) for event in seen] == [CallStarted, CallEnded]


class Interrupting(FakeHost):
    """A host whose clock is interrupted once when it is looked at."""

    armed = False

    def now(self) -> float:
        if self.armed:
            self.armed = False
            raise KeyboardInterrupt
        return super().now()


def test_an_interrupt_while_a_probe_is_accounted_for_leaves_room_for_another():
    host = Interrupting()
    deck = Deck(policy="auto", host=host, async_host=host.for_await())
    works = [False]

    def tool() -> str:
        if not works[0]:
            raise ConnectionError("gone")
        host.armed = works[0] == "once"
        works[0] = True
        return "fine"

    deck.add(tool, effects="none", breaker=BreakerSettings(threshold=1, cooldown=10))
    assert deck.call("tool").status == "failed"
    host.clock.advance(11)
    works[0] = "once"
    with pytest.raises(KeyboardInterrupt):
        deck.call("tool")
    assert deck.call("tool").ok


async def test_a_batch_awaited_on_a_fake_host_leaves_the_loop_to_its_async_calls():
    deck, _host = fake_deck(policy="auto")

    async def later() -> str:
        await asyncio.sleep(0)
        return "A"

    deck.add(later, effects="none")
    calls = [("later", {}), ("missing", {}), ("later", {})]
    results = await asyncio.wait_for(deck.acall_many(calls), 20)
    assert [result.status for result in results] == ["ok", "unknown", "ok"]

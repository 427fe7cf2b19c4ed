"""Bodies that give their items one after the other: told as they come, a list in the end."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tooldeck.core.events import CallEnded, Streamed
from tooldeck.testing import fake_deck


def plain(n: int):
    yield from range(n)


async def awaited(n: int):
    for item in range(n):
        await asyncio.sleep(0)
        yield item


def returned(n: int):
    return plain(n)


async def awaited_then_returned(n: int):
    return plain(n)


def returned_to_await(n: int):
    return awaited(n)


BODIES = [plain, awaited, returned, awaited_then_returned, returned_to_await]


@pytest.mark.parametrize("limit", [None, 30.0], ids=["no limit", "limit"])
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_each_item_is_told_before_the_call_ends_with_the_list(run, events, body, limit):
    deck, _ = fake_deck(policy="auto")
    deck.add(body, name="f", timeout=limit)
    seen = events(deck)
    result = run(deck, "f", n=3)
    assert (result.value, result.text) == ([0, 1, 2], "[0,1,2]")
    told = [event for event in seen if isinstance(event, Streamed)]
    assert [(event.index, event.item) for event in told] == [(0, 0), (1, 1), (2, 2)]
    assert {event.call.id for event in told} == {result.call.id}
    assert isinstance(seen[-1], CallEnded)


def test_without_a_listener_the_list_is_the_same(run):
    deck, _ = fake_deck(policy="auto")
    deck.add(plain)
    deck.add(awaited)
    assert run(deck, "plain", n=3).value == run(deck, "awaited", n=3).value == [0, 1, 2]
    assert run(deck, "plain", n=0).value == []


def test_a_stream_that_breaks_is_a_failure_and_its_items_were_told(run, events):
    deck, _ = fake_deck(policy="auto")

    def f():
        yield 1
        raise ValueError("lost the line")

    deck.add(f)
    seen = events(deck)
    result = run(deck, "f")
    assert (result.status, result.error) == ("failed", "ValueError: lost the line")
    assert [event.item for event in seen if isinstance(event, Streamed)] == [1]


def test_a_stream_runs_where_its_body_runs(run):
    deck, _ = fake_deck(policy="auto")
    threads = []

    def f():
        threads.append(threading.current_thread())
        yield 1
        threads.append(threading.current_thread())

    deck.add(f)
    run(deck, "f")
    assert threads == [threading.main_thread()] * 2


def test_a_listener_that_fails_does_not_break_the_stream(run):
    deck, _ = fake_deck(policy="auto")
    deck.add(plain)

    def odd(event):
        if isinstance(event, Streamed):
            raise RuntimeError

    deck.subscribe(odd)
    assert run(deck, "plain", n=3).value == [0, 1, 2]

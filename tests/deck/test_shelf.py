"""Tools come, are replaced everywhere, and go; observers and threads see a consistent deck."""

from __future__ import annotations

import logging
import threading

import pytest

from tooldeck import Deck, DefinitionError, Origin, tool
from tooldeck.core.events import CallEnded, ToolAdded, ToolRemoved
from tooldeck.testing import fake_deck


def version(number):
    def f(x: int = 0):
        return number

    return f


def test_a_redefined_tool_is_the_new_one_everywhere(run, auto):
    deck, _ = auto
    old = deck.add(version(1))
    holder = {"tool": old}
    assert run(deck, "f").value == 1
    new = deck.add(version(2))
    assert run(deck, "f").value == run(deck, old).value == old() == holder["tool"](x=1) == new() == 2
    assert list(deck.tools.values()) == [new]


def test_a_redefined_tool_brings_its_own_options(run):
    deck, _host = fake_deck([False])
    deck.add(version(1), effects="none")
    assert run(deck, "f").ok
    deck.add(version(1))
    assert run(deck, "f").status == "denied"
    deck.add(version(1), effects="none")
    assert run(deck, "f").ok


def test_a_function_that_is_in_the_deck_brings_its_options_when_called_directly(run):
    deck, _host = fake_deck()
    function = version(1)
    deck.add(function, effects="none")
    assert run(deck, function).ok
    assert run(deck, version(2)).status == "denied"


def test_a_method_that_is_in_the_deck_is_found_by_itself(run):
    class Holder:
        def method(self):
            return 1

    holder = Holder()
    deck, _ = fake_deck()
    deck.add(holder.method, effects="none")
    assert run(deck, holder.method).ok
    assert run(deck, Holder().method).status == "denied"


def test_a_tool_of_one_name_from_another_place_is_refused_and_both_stay_usable(run, auto):
    deck, _ = auto
    deck.add(version(1), origin=Origin("mcp", "a"))
    with pytest.raises(
        DefinitionError,
        match=r"There is a tool 'f' from mcp a already; this one is from python .*remove\('f'\)",
    ):
        deck.add(version(2))
    assert run(deck, "f").value == 1
    assert deck.add(version(2), name="f2")() == 2
    deck.remove("f")
    assert deck.add(version(2))() == 2


def test_a_removed_tool_is_gone_and_its_objects_say_so(run, auto):
    deck, _ = auto
    made = deck.add(version(1))
    deck.remove("f")
    assert "f" not in deck
    assert run(deck, "f").status == "unknown"
    assert "was removed from this deck" in run(deck, made).error
    with pytest.raises(KeyError, match="no tools yet"):
        deck.remove("f")


def test_the_deck_reads_like_a_mapping():
    deck = Deck()
    deck.add(version(1))
    deck.add(version(2), name="g")
    assert list(deck) == list(deck.tools) == deck._ipython_key_completions_() == ["f", "g"]
    assert len(deck) == 2
    assert deck["g"].name == "g"
    assert repr(deck) == "<Deck: f, g>"
    with pytest.raises(KeyError, match="did you mean 'f'"):
        deck["F"]
    with pytest.raises(TypeError):
        deck.tools["x"] = None


def test_redefining_keeps_the_place_in_the_order():
    deck = Deck()
    for name in "abc":
        deck.add(version(1), name=name)
    deck.add(version(2), name="b")
    assert list(deck) == ["a", "b", "c"]


def test_a_tool_of_another_deck_runs_under_the_rules_of_this_one(run):
    lax, strict = Deck(policy="auto"), Deck(policy="read_only")
    made = lax.add(version(1))
    assert run(lax, made).ok
    assert run(strict, made).status == "denied"


def test_decks_share_nothing(run):
    first, second = fake_deck(policy="auto")[0], fake_deck(policy="auto")[0]
    first.add(lambda: 1 / 0, name="f", breaker=1)
    second.add(version(2))
    run(first, "f")
    assert run(first, "f").status == "tripped"
    assert run(second, "f").value == 2
    assert len(second.history()) == 1


def test_comings_and_goings_are_told(events):
    deck = Deck()
    seen = events(deck)
    first = deck.add(version(1))
    second = deck.add(version(2))
    deck.remove("f")
    assert seen == [ToolAdded(first), ToolAdded(second, first), ToolRemoved(second)]


def test_an_observer_that_raises_is_left_out_and_disturbs_nothing(run, auto, caplog, events):
    deck, _ = auto
    deck.add(version(1))
    calls = []

    def broken(event):
        calls.append(event)
        raise RuntimeError("boom")

    deck.subscribe(broken)
    seen = events(deck)
    with caplog.at_level(logging.ERROR, "tooldeck"):
        assert run(deck, "f").ok
        assert run(deck, "f").ok
    assert len(calls) == 1
    assert [record.message for record in caplog.records] == [
        "An observer of the deck failed and is no longer told."
    ]
    assert sum(isinstance(event, CallEnded) for event in seen) == 2


def test_unsubscribing_takes_back_one_subscription(run, auto):
    deck, _ = auto
    deck.add(version(1))
    seen = []
    undo_first, undo_second = deck.subscribe(seen.append), deck.subscribe(seen.append)
    undo_first()
    undo_first()
    run(deck, "f")
    assert len(seen) == 3
    undo_second()
    run(deck, "f")
    assert len(seen) == 3


def test_a_subscription_is_heard_by_the_next_call_whatever_ran_before(run, auto, events):
    deck, _ = auto
    deck.add(version(1))
    run(deck, "f")
    seen = events(deck)
    run(deck, "f")
    assert len(seen) == 3


def test_calls_on_eight_threads_do_not_see_each_other():
    deck = Deck(policy="auto", history=2_000)

    @deck.tool
    def echo(thread: int, number: int):
        return thread, number

    results = [[] for _ in range(8)]
    gate = threading.Barrier(8)

    def work(mine):
        gate.wait(10)
        for number in range(200):
            results[mine].append(deck.call("echo", thread=mine, number=number))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    for mine, ended in enumerate(results):
        assert [result.value for result in ended] == [(mine, number) for number in range(200)]
        assert not any(result.notes for result in ended)
    assert len({result.call.id for result in deck.history()}) == 1600


def test_tools_may_come_and_go_while_others_call():
    deck = Deck(policy="auto")
    deck.add(version(0), name="steady")
    stop = threading.Event()
    failures = []

    def churn():
        for number in range(1, 400):
            deck.add(version(number), name=f"t{number % 50}")
            if number % 7 == 0 and "t3" in deck:
                deck.remove("t3")
        stop.set()

    def call():
        try:
            while not stop.is_set():
                assert deck.call("steady").value == 0
                assert deck.call("t_missing").status == "unknown"
                deck.export("mcp")
                repr(deck)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=churn), *(threading.Thread(target=call) for _ in range(3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []


def test_a_breaker_made_on_many_threads_at_once_is_one():
    deck = Deck(policy="auto")
    deck.add(version(1))
    gate = threading.Barrier(8)
    found = []

    def look():
        gate.wait(10)
        found.append(deck.breaker("f"))

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(set(map(id, found))) == 1


def test_a_decorated_function_is_the_tool_and_can_be_called_like_the_function():
    deck = Deck(policy="auto")

    @deck.tool(effects="none")
    def add(a: int, b: int = 2) -> int:
        return a + b

    assert add(1) == add(1, 2) == add(a=1) == 3
    assert add("4", b="5") == 9
    assert [result.status for result in deck.history()] == ["ok"] * 4
    with pytest.raises(ValueError, match="a: is required"):
        add()


def test_a_tool_that_belongs_to_no_deck_can_be_called_in_one(run):
    deck, host = fake_deck()
    made = tool(effects="none")(version(3))
    assert run(deck, made).value == 3
    assert host.requests == []

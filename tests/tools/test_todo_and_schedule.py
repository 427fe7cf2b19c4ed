"""Things to tick off, and calls for later that nobody makes but on request."""

from __future__ import annotations

import pytest

from tooldeck import Deck
from tooldeck.store.sqlite import SqliteStore
from tooldeck.store.tasks import Tasks


@pytest.fixture
def deck():
    made = Deck(policy="auto", store=":memory:")
    made.add_builtins("todo", "schedule")
    made.add(lambda n: n + 1, name="count", effects="none")
    return made


def do(run, deck, tool, action, /, **arguments):
    return run(deck, tool, {"action": action, **arguments})


def test_things_are_noted_and_ticked_off_in_the_order_in_which_they_are_due(run, deck):
    do(run, deck, "todo", "add", texts=["later"], due="2100-01-01T00:00").unwrap()
    do(run, deck, "todo", "add", texts=["some time", "soon"]).unwrap()
    do(run, deck, "todo", "add", texts=["over"], due="2001-01-01T00:00").unwrap()
    listed = do(run, deck, "todo", "list").value["todo"]
    assert [one["text"] for one in listed] == ["over", "later", "some time", "soon"]
    assert [one["due"] for one in listed[:2]] == [True, False]
    assert do(run, deck, "todo", "tick", number=listed[0]["number"]).value == {"done": "over", "left": 3}
    assert do(run, deck, "todo", "drop", number=listed[3]["number"]).value == {"dropped": "soon"}
    assert [one["text"] for one in do(run, deck, "todo", "list").value["todo"]] == ["later", "some time"]
    assert do(run, deck, "todo", "list", done=True).value["todo"][-1]["done"]
    assert "There is no number 99" in do(run, deck, "todo", "tick", number=99).error


def test_a_call_that_is_due_is_shown_and_made_on_request_only(run, deck):
    added = do(run, deck, "schedule", "add", text="once", tool="count", arguments={"n": 1}, in_minutes=0)
    number = added.value["number"]
    do(run, deck, "schedule", "add", text="far", tool="count", arguments={"n": 1}, in_minutes=9e5).unwrap()
    assert [one["text"] for one in do(run, deck, "schedule", "list", due_only=True).value["calls"]] == [
        "once"
    ]
    assert all(one.call.name == "schedule" for one in deck.history())
    ran = do(run, deck, "schedule", "run", number=number)
    assert (ran.value["ran"], ran.value["value"]) == ("count", 2)
    assert deck.history()[-2].call.parent == ran.call.id
    assert "was run already" in do(run, deck, "schedule", "run", number=number).error
    assert do(run, deck, "schedule", "list", due_only=True).value["calls"] == []


def test_a_call_asks_for_itself_and_stays_where_it_fails(run):
    deck = Deck(store=":memory:")
    deck.add_builtins("schedule")
    deck.add(lambda: "done", name="shell", effects="execute")
    number = do(run, deck, "schedule", "add", text="x", tool="shell", in_minutes=0).value["number"]
    refused = do(run, deck, "schedule", "run", number=number)
    assert f"Number {number} stays: shell is denied" in refused.error
    deck.policy.allow("shell")
    assert do(run, deck, "schedule", "run", number=number).ok


def test_what_comes_again_is_due_in_the_future(run):
    now = 1_000.0
    tasks = Tasks(SqliteStore(), "schedule", lambda: now)
    task = tasks.add("x", due=100.0, every=60.0, tool="count")
    again = tasks.tick(task.id)
    assert (again.done, again.due) == (False, 1_060.0)
    now = 1_030.0
    assert tasks.tick(task.id).due == 1_120.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tool": "cuont", "in_minutes": 1}, "no tool 'cuont' in this deck; did you mean 'count'"),
        ({"tool": "count"}, "either `at` or `in_minutes`"),
        ({"tool": "count", "in_minutes": 1, "at": "2100-01-01"}, "either `at` or `in_minutes`"),
    ],
)
def test_what_cannot_be_noted_is_refused(run, deck, options, words):
    assert words in do(run, deck, "schedule", "add", text="x", **options).error


def test_a_deck_that_keeps_nothing_says_so(run):
    deck = Deck(policy="auto")
    deck.add_builtins("todo")
    assert "Deck(store=" in do(run, deck, "todo", "list").error


def test_a_noted_call_runs_no_noted_call(run, deck):
    again = {"tool": "schedule", "arguments": {"action": "run", "number": 1}, "in_minutes": 0}
    do(run, deck, "schedule", "add", text="x", **again).unwrap()
    assert "Number 1 would run a noted call" in do(run, deck, "schedule", "run", number=1).error

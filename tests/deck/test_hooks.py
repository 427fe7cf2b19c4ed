"""Functions of the user around calls: what they may say, and what comes of it."""

from __future__ import annotations

import asyncio

import pytest

from tooldeck import Block, Rewrite
from tooldeck.testing import fake_deck


def make():
    deck, _host = fake_deck(policy="auto")
    runs = []

    def f(x: int, tag: str = ""):
        runs.append(x)
        if x < 0:
            raise ValueError("negative")
        return x

    deck.add(f)
    return deck, runs


@pytest.mark.parametrize(
    "verdict",
    [Block("no"), False, 0, [], "deny", {"allow": False}, {"decision": "DENY"}, True, object()],
    ids=lambda v: type(v).__name__ + str(v)[:12],
)
def test_any_answer_but_none_and_rewrite_stops_the_call(run, verdict):
    deck, runs = make()
    deck.before_tool(lambda call: verdict)
    result = run(deck, "f", x=1)
    assert result.status == "blocked"
    assert runs == []


def test_a_hook_may_let_pass_and_may_be_async(run):
    deck, _runs = make()

    async def look(call):
        await asyncio.sleep(0)

    deck.before_tool(look)
    deck.after_tool(look)
    assert run(deck, "f", x=1).ok


def test_a_hook_that_raises_blocks_and_the_call_still_ends(run):
    deck, runs = make()

    def careful(call):
        raise KeyError("boom")

    deck.before_tool(careful)
    result = run(deck, "f", x=1)
    assert result.status == "blocked"
    assert "careful" in result.error
    assert "KeyError" in result.error
    assert runs == []


def test_rewritten_arguments_are_checked_like_any_others_and_each_hook_sees_the_last(run):
    deck, _runs = make()
    seen = []
    deck.before_tool(lambda call: Rewrite({"x": 2}))
    deck.before_tool(lambda call: seen.append(call.raw))
    original = {"x": 1}
    result = run(deck, "f", original)
    assert result.value == 2
    assert seen == [{"x": 2}]
    assert original == {"x": 1}
    assert "rewrote the arguments" in str(result.notes[0])
    deck.before_tool(lambda call: Rewrite({"x": "bad"}))
    assert run(deck, "f", x=1).status == "invalid"
    deck.before_tool(lambda call: Rewrite([1]))
    assert "no mapping" in run(deck, "f", x=1).error


def test_a_hook_after_sees_every_end_and_may_replace_it(run):
    deck, _runs = make()
    seen = []
    deck.after_tool(lambda result: seen.append(result.status))
    run(deck, "f", x=1)
    run(deck, "f", x=-1)
    run(deck, "f", x="bad")
    undo = deck.before_tool(lambda call: Block("no"))
    run(deck, "f", x=1)
    assert seen == ["ok", "failed", "invalid", "blocked"]
    undo()
    deck.after_tool(lambda result: Rewrite({"masked": True}) if result.ok else None)
    result = run(deck, "f", x=1)
    assert result.value == {"masked": True}
    assert result.text == '{"masked":true}'


@pytest.mark.parametrize("verdict", [Block("secret inside"), "deny", False], ids=repr)
def test_a_hook_after_that_objects_withholds_the_value_and_says_that_the_body_ran(run, verdict):
    deck, runs = make()
    deck.after_tool(lambda result: verdict)
    result = run(deck, "f", x=1)
    assert (result.status, result.value, runs) == ("blocked", None, [1])
    assert "ran, but its result was withheld" in result.error


def test_a_hook_after_that_raises_withholds_the_value(run):
    deck, _ = make()

    def scan(result):
        raise RuntimeError("scanner down")

    deck.after_tool(scan)
    result = run(deck, "f", x=1)
    assert result.value is None
    assert "scanner down" in result.error


def test_a_removed_hook_is_no_longer_run(run):
    deck, _ = make()
    undo = deck.before_tool(lambda call: Block("no"))
    undo()
    undo()
    assert run(deck, "f", x=1).ok

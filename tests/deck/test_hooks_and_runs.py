"""Hooks around calls, runs that repeat themselves, and a person's word in between."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tooldeck import Block, DefinitionError, Rewrite, Run, calling
from tooldeck.core.call import current_caller
from tooldeck.core.repetitions import KEPT
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


def test_distinct_calls_with_equal_results_are_progress(run):
    deck, _ = fake_deck(policy="auto")
    deck.add(lambda i: "ok", name="save_row")
    with calling(run=Run()):
        results = [run(deck, "save_row", i=number) for number in range(30)]
    assert all(result.ok and result.text == "ok" and not result.notes for result in results)


def test_equal_calls_with_changing_results_are_progress(run):
    deck, _ = fake_deck(policy="auto")
    pages = iter(range(100))
    deck.add(lambda: "header\n" * 2_000 + str(next(pages)), name="next_page")
    with calling(run=Run()):
        assert all(run(deck, "next_page").ok for _ in range(30))


def test_equal_calls_with_equal_results_are_warned_of_then_refused_then_end_the_run(run):
    deck, _ = fake_deck(policy="auto")
    runs = []
    deck.add(lambda x: runs.append(x) or [x], name="f")
    current = Run()
    with calling(run=current):
        results = [run(deck, "f", {"x": 4}) for _ in range(9)]
    assert [result.status for result in results] == ["ok"] * 5 + ["looping"] * 3 + ["cancelled"]
    assert len(runs) == 5
    assert [len(result.notes) for result in results[:5]] == [0, 0, 1, 1, 1]
    assert all(result.value == [4] for result in results[:5])
    assert current.stopped == "it repeated calls without progress"


def test_equal_failures_are_repetition_too(run):
    deck, _ = make()
    with calling(run=Run()):
        assert [run(deck, "f", x=-1).status for _ in range(6)] == ["failed"] * 5 + ["looping"]


def test_without_a_run_nothing_is_counted(run):
    deck, _ = make()
    assert {run(deck, "f", x=1).status for _ in range(30)} == {"ok"}


def test_another_run_starts_afresh(run):
    deck, _ = make()
    for _ in range(3):
        with calling(run=Run()):
            assert all(run(deck, "f", x=1).ok for _ in range(5))


def test_a_run_remembers_a_bounded_number_of_calls(run):
    deck, _ = make()
    current = Run()
    with calling(run=current):
        for number in range(KEPT + 50):
            run(deck, "f", x=number)
    assert len(current.repetitions._seen) == KEPT


def test_a_stopped_run_starts_no_further_call(run):
    deck, runs = make()
    current = Run("chat")
    with calling("model", run=current, label="gpt"):
        assert run(deck, "f", x=1).ok
        current.stop("the person said stop")
        result = run(deck, "f", x=2)
    assert (result.status, result.error) == ("cancelled", "f was not started: the person said stop.")
    assert runs == [1]
    assert (result.call.caller.source, result.call.caller.label) == ("model", "gpt")


def test_who_calls_is_known_inside_the_block_only():
    with calling("cell"):
        with calling(label="inner"):
            assert (current_caller().source, current_caller().label) == ("cell", "inner")
        assert current_caller().label == ""
    assert current_caller().source == "python"


def test_an_unknown_source_is_refused():
    with (
        pytest.raises(DefinitionError, match="Unknown source 'modle'; did you mean 'model'"),
        calling("modle"),
    ):
        pass


def test_threads_of_one_run_count_together_without_harm():
    deck, _ = make()
    current = Run()
    failures = []

    def work(start):
        try:
            with calling(run=current):
                for number in range(400):
                    deck.call("f", x=start * 1000 + number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []

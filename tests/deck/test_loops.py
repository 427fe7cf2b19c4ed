"""Runs that repeat themselves: told, refused and ended, but only where there is no progress."""

from __future__ import annotations

import threading

import pytest

from tooldeck import DefinitionError, LoopSettings, Run, calling
from tooldeck.core.repetitions import KEPT
from tooldeck.testing import fake_deck


def make(**options):
    deck, _host = fake_deck(policy="auto", **options)

    def f(x: int):
        if x < 0:
            raise ValueError("negative")
        return x

    deck.add(f)
    return deck


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
    deck = make()
    with calling(run=Run()):
        assert [run(deck, "f", x=-1).status for _ in range(6)] == ["failed"] * 5 + ["looping"]


def test_without_a_run_nothing_is_counted(run):
    deck = make()
    assert {run(deck, "f", x=1).status for _ in range(30)} == {"ok"}


def test_another_run_starts_afresh(run):
    deck = make()
    for _ in range(3):
        with calling(run=Run()):
            assert all(run(deck, "f", x=1).ok for _ in range(5))


def test_a_run_remembers_a_bounded_number_of_calls(run):
    deck = make()
    current = Run()
    with calling(run=current):
        for number in range(KEPT + 50):
            run(deck, "f", x=number)
    assert len(current.repetitions._last) == KEPT


def test_threads_of_one_run_count_together_without_harm():
    deck = make()
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


def statuses(run, deck, calls, current=None):
    with calling(run=current or Run()):
        return [str(run(deck, name, arguments).status) for name, arguments in calls]


def test_calls_that_take_turns_without_progress_are_refused_too(run):
    deck = make()
    one, other = ("f", {"x": 1}), ("f", {"x": -1})
    current = Run()
    ends = statuses(run, deck, [one, other] * 8, current)
    assert ends[:10] == ["ok", "failed"] * 5
    assert ends[-1] == "cancelled"
    assert ends[10:13] == ["looping"] * 3
    assert current.stopped == "it repeated calls without progress"


@pytest.mark.parametrize("turns", [3, 4])
def test_up_to_four_calls_in_turn_are_one_repetition(run, turns):
    ends = statuses(run, make(), [("f", {"x": n}) for n in range(turns)] * 9)
    assert "looping" in ends
    assert ends[-1] == "cancelled"


def test_a_wider_round_is_none_unless_the_settings_say_so(run):
    round_of_five = [("f", {"x": n}) for n in range(5)] * 9
    assert set(statuses(run, make(), round_of_five)) == {"ok"}
    assert "looping" in statuses(run, make(loop_guard=LoopSettings(period=5)), round_of_five)


def test_a_check_between_steps_that_get_on_is_no_repetition(run):
    deck = make()
    steps = [step for n in range(2, 30) for step in (("f", {"x": n}), ("f", {"x": -1}))]
    assert set(statuses(run, deck, steps)) == {"ok", "failed"}


def test_a_refused_call_may_be_made_again_after_progress(run):
    again = ("f", {"x": 1})
    ends = statuses(run, make(), [again] * 6 + [("f", {"x": 2})] + [again] * 4)
    assert ends == ["ok"] * 5 + ["looping"] + ["ok"] * 5


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [("serch_web", {"q": "x"}, "unknown"), ("f", {"x": "no number"}, "invalid"), ("f", "{", "invalid")],
)
def test_a_model_that_misses_for_ever_is_told_why_then_refused_then_ended(run, name, arguments, status):
    deck = make()
    deck.add(lambda q: q, name="search_web")
    current = Run()
    ends = statuses(run, deck, [(name, arguments)] * 9, current)
    assert ends == [status] * 5 + ["looping"] * 3 + ["cancelled"]
    assert current.stopped is not None


def test_a_tripped_tool_that_is_called_for_ever_ends_the_run_although_its_seconds_differ(run):
    deck, host = fake_deck(policy="auto")

    def f():
        raise OSError("down")

    deck.add(f, breaker=1)
    ends = []
    with calling(run=Run()):
        for _ in range(12):
            ends.append(str(run(deck, "f").status))
            host.clock.advance(1)
    assert ends == ["failed"] + ["tripped"] * 5 + ["looping"] * 3 + ["cancelled"] * 3


def test_what_a_hook_blocks_for_ever_ends_the_run(run):
    deck = make()
    deck.before_tool(lambda call: False)
    assert statuses(run, deck, [("f", {"x": 1})] * 9)[-1] == "cancelled"


def test_each_step_can_be_set_or_switched_off(run):
    same = [("f", {"x": 1})] * 12
    assert set(statuses(run, make(loop_guard=LoopSettings(block=0)), same)) == {"ok"}
    assert statuses(run, make(loop_guard=LoopSettings(block=2)), same)[1:3] == ["ok", "looping"]
    assert "cancelled" not in statuses(run, make(loop_guard=LoopSettings(halt=0)), same)
    quiet = make(loop_guard=LoopSettings(warn=0))
    with calling(run=Run()):
        assert not any(run(quiet, "f", x=1).notes for _ in range(5))


def test_a_run_may_bring_settings_of_its_own(run):
    deck = make(loop_guard=LoopSettings(block=2))
    patient = Run(loop_guard=LoopSettings(block=9))
    assert statuses(run, deck, [("f", {"x": 1})] * 9, patient) == ["ok"] * 9


@pytest.mark.parametrize("odd", [{"warn": -1}, {"block": True}, {"halt": 1.5}, {"period": 0}], ids=str)
def test_settings_that_cannot_be_meant_are_refused(odd):
    with pytest.raises(DefinitionError, match="loop guard"):
        LoopSettings(**odd)
    for kind in (Run, make):
        with pytest.raises(DefinitionError, match="must be LoopSettings"):
            kind(loop_guard=5)


def test_names_of_tools_change_nothing(run):
    for name in ("get_and_delete_user", "checkout_cart", "poll_status", "translate"):
        deck, _ = fake_deck(policy="auto")
        deck.add(lambda: "ok", name=name)
        assert statuses(run, deck, [(name, {})] * 6) == ["ok"] * 5 + ["looping"]

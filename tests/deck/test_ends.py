"""How calls end: one status per stage, one result for every call, one start and one end."""

from __future__ import annotations

import asyncio

import pytest

from tooldeck import Block, Deck, DefinitionError, ExpectedError, Run, Status, ToolResult, calling
from tooldeck.core import errors
from tooldeck.core.events import AttemptStarted, CallEnded, CallStarted
from tooldeck.core.pipeline import PIPELINE
from tooldeck.testing import fake_deck


def twice(x: int) -> int:
    """Double it."""
    return 2 * x


def test_the_pipeline_stands_in_the_order_of_the_design():
    assert [stage.__name__ for stage in PIPELINE] == [
        "record", "present", "misses", "resolve", "offered", "steer", "hooks", "arguments", "narrow",
        "loop_guard", "tape", "checks", "closed", "in_turn", "approve", "checked_again", "claim", "breaker",
        "call_limit", "retry", "rate_limit", "time_limit", "wrap",
    ]  # fmt: skip


def ok(run):
    deck, _ = fake_deck()
    deck.add(twice, effects="none")
    return deck, lambda: run(deck, "twice", x=1)


def unknown(run):
    deck, _ = fake_deck()
    deck.add(twice)
    return deck, lambda: run(deck, "twise", x=1)


def cancelled(run):
    deck, _ = fake_deck(policy="auto")
    deck.add(twice)
    stopped = Run()
    stopped.stop("enough")

    def go():
        with calling(run=stopped):
            return run(deck, "twice", x=1)

    return deck, go


def blocked(run):
    deck, _ = fake_deck(policy="auto")
    deck.add(twice)
    deck.before_tool(lambda call: Block("not today"))
    return deck, lambda: run(deck, "twice", x=1)


def invalid(run):
    deck, _ = fake_deck()
    deck.add(twice)
    return deck, lambda: run(deck, "twice", x="no number")


def looping(run):
    deck, _ = fake_deck(policy="auto")
    deck.add(twice)
    same = Run()

    def go():
        with calling(run=same):
            return [run(deck, "twice", x=1) for _ in range(6)][-1]

    return deck, go


def tripped(run):
    deck, _ = fake_deck(policy="auto")
    deck.add(lambda: 1 / 0, name="fail", breaker=1)

    def go():
        run(deck, "fail")
        return run(deck, "fail")

    return deck, go


def limited(run):
    deck, _ = fake_deck()
    deck.add(twice, effects="none", rate="1/h")

    def go():
        run(deck, "twice", x=1)
        return run(deck, "twice", x=1)

    return deck, go


def denied(run):
    deck, _ = fake_deck([False])
    deck.add(twice)
    return deck, lambda: run(deck, "twice", x=1)


def timeout(run):
    deck, host = fake_deck(policy="auto")
    deck.add(lambda: host.clock.advance(2), name="slow", timeout=1)
    return deck, lambda: run(deck, "slow")


def failed(run):
    deck, _ = fake_deck(policy="auto")
    deck.add(lambda: 1 / 0, name="fail")
    return deck, lambda: run(deck, "fail")


ENDS = {
    case.__name__: case
    for case in (ok, unknown, cancelled, blocked, invalid, looping, tripped, limited, denied, timeout, failed)
}


@pytest.mark.parametrize("status", list(Status))
def test_every_status_is_reached_and_tells_the_same_everywhere(run, events, status):
    deck, go = ENDS[status](run)
    seen = events(deck)
    result = go()
    assert result.status is status
    assert result.ok == (status == "ok")
    assert result is deck.history()[-1]
    assert result.seconds >= 0
    assert sum(isinstance(event, CallStarted) for event in seen) == sum(
        isinstance(e, CallEnded) for e in seen
    )
    assert seen[-1].result is result
    if result.ok:
        assert (result.value, result.text, result.error) == (2, "2", None)
    else:
        assert result.value is None
        assert result.error in result.text
        assert result.text.startswith(f"Error ({status}): ")
        with pytest.raises(ZeroDivisionError if status == "failed" else errors.CallError) as caught:
            result.unwrap()
        if status != "failed":
            assert caught.value.result is result


@pytest.mark.parametrize("status", list(Status))
def test_every_status_is_reached_with_tracing_too(run, status):
    deck, go = ENDS[status](run)
    deck.trace = True
    result = go()
    assert result.status is status
    names = [span.name for span in result.trace]
    assert "present" in names
    assert all(span.start <= span.end for span in result.trace)


def test_a_body_that_never_ran_has_no_attempts(run):
    assert [ENDS[name](run)[1]().attempts for name in ("unknown", "invalid", "denied", "blocked")] == [0] * 4


def test_an_unknown_name_is_answered_with_the_nearest_and_never_repaired(run, auto):
    deck, _ = auto
    deck.add(twice)
    for name in ("Twice", "twise", "TWICE", "t-wice"):
        result = run(deck, name, x=1)
        assert result.status == "unknown"
        assert "did you mean 'twice'" in result.error
    assert "there are: twice" in run(deck, "zzz").error
    assert "no tools yet" in run(Deck(), "zzz").error


@pytest.mark.parametrize("thing", [5, None, Deck, lambda x: x], ids=["number", "None", "class", "lambda"])
def test_what_is_no_tool_cannot_be_called(run, thing):
    with pytest.raises(DefinitionError):
        run(Deck(), thing)


@pytest.mark.parametrize(
    "raw",
    ["[]", "42", '"x"', '{"x": ', "nonsense", [1], 7, {5: 1}, '{"x": 1, "x": 2}', '{"x": NaN}'],
    ids=repr,
)
def test_arguments_that_are_no_object_end_in_one_clear_sentence(run, auto, raw):
    deck, _ = auto
    deck.add(twice)
    result = run(deck, "twice", raw)
    assert result.status == "invalid"
    assert result.attempts == 0
    assert result.error.startswith("twice: an argument does not fit: ")
    assert "\n" not in result.error


@pytest.mark.parametrize("raw", ["null", "", "{}", "   ", None, {}], ids=repr)
def test_no_arguments_in_any_form_run_a_tool_without_required_ones(run, auto, raw):
    deck, _ = auto
    deck.add(lambda x=1: x, name="f")
    deck.add(twice)
    assert run(deck, "f", raw).value == 1
    assert "x: is required" in run(deck, "twice", raw).error


def test_an_argument_given_twice_is_a_type_error(run, auto):
    deck, _ = auto
    deck.add(twice)
    with pytest.raises(TypeError, match="given twice"):
        run(deck, "twice", {"x": 1}, x=2)


def test_mapping_text_and_keywords_mean_the_same(run, auto):
    deck, _ = auto
    deck.add(twice)
    assert (
        run(deck, "twice", {"x": 2}).value
        == run(deck, "twice", '{"x": 2}').value
        == run(deck, "twice", x=2).value
        == 4
    )


def test_repairs_are_noted_beside_the_value(run, auto):
    deck, _ = auto
    deck.add(twice)
    result = run(deck, "twice", '{"x": "21"}')
    assert result.value == 42
    assert [str(note) for note in result.notes] == ['x: read "21" as 21']
    assert dict(result.call.arguments) == {"x": 21}


def test_an_expected_no_is_a_failure_with_its_own_words(run, auto):
    deck, _ = auto

    def find(city: str):
        raise ExpectedError("no such city")

    deck.add(find)
    result = run(deck, "find", city="x")
    assert (result.status, result.error) == ("failed", "no such city")


def test_the_exception_of_a_body_comes_through_with_type_and_traceback(run, auto):
    deck, _ = auto

    def fail():
        raise LookupError("gone")

    deck.add(fail)
    with pytest.raises(LookupError, match="gone") as caught:
        run(deck, "fail").unwrap()
    assert any(entry.name == "fail" for entry in caught.traceback)


@pytest.mark.parametrize("error", [StopIteration("x"), StopAsyncIteration("x"), AssertionError()], ids=repr)
def test_odd_exceptions_are_failures_of_their_own_type(run, auto, error):
    deck, _ = auto

    def fail():
        raise error

    deck.add(fail)
    result = run(deck, "fail")
    assert result.status == "failed"
    assert result.exception is error


def test_an_exception_whose_text_cannot_be_made_is_a_failure_like_any_other(run, auto):
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    def fail():
        raise Mute

    deck, _ = auto
    deck.add(fail)
    assert run(deck, "fail").error.startswith("Mute")


@pytest.mark.parametrize("control", [KeyboardInterrupt, asyncio.CancelledError, SystemExit])
def test_control_flow_passes_through_and_leaves_exactly_one_end(run, auto, events, control):
    deck, _ = auto

    def stop():
        raise control

    deck.add(stop, retry=3, idempotent=True)
    seen = events(deck)
    with pytest.raises(control):
        run(deck, "stop")
    assert [type(event) for event in seen] == [CallStarted, AttemptStarted, CallEnded]
    assert deck.history()[-1].status == ("failed" if control is SystemExit else "cancelled")
    assert deck.breaker("stop").state.failures == 0


async def test_a_cancelled_task_leaves_exactly_one_end(auto, events):
    deck, _ = auto
    begun = asyncio.Event()

    async def wait():
        begun.set()
        await asyncio.Event().wait()

    deck.add(wait)
    seen = events(deck)
    task = asyncio.create_task(deck.acall("wait"))
    await asyncio.wait_for(begun.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [type(event) for event in seen] == [CallStarted, AttemptStarted, CallEnded]
    assert deck.history()[-1].status == "cancelled"


def test_results_say_what_they_are(run, auto):
    deck, _ = auto
    deck.add(twice)
    assert repr(run(deck, "twice", x=1)) == "<ToolResult ok twice: 2>"
    assert repr(run(deck, "twice")).startswith("<ToolResult invalid twice: twice: an argument does not fit")
    assert isinstance(run(deck, "twice"), ToolResult)


def test_the_history_keeps_the_last_calls_only(run):
    deck, _ = fake_deck(policy="auto", history=3)
    deck.add(twice)
    for number in range(5):
        run(deck, "twice", x=number)
    assert [result.value for result in deck.history()] == [4, 6, 8]


def test_a_history_keeps_what_was_given_although_the_caller_changes_it_later(run, auto):
    deck, _ = auto
    deck.add(twice)
    arguments = {"x": 1}
    result = run(deck, "twice", arguments)
    arguments["x"] = 99
    assert dict(result.call.arguments) == {"x": 1}


def test_a_call_inside_a_body_knows_its_parent(run, auto):
    deck, _ = auto
    deck.add(twice)

    def outer():
        return deck.call("twice", x=1).call.parent

    deck.add(outer)
    result = run(deck, "outer")
    assert result.value == result.call.id

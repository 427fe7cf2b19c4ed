"""Functions of the user around calls: what they may say, and what comes of it."""

from __future__ import annotations

import asyncio

import pytest

from tooldeck import Ask, Block, Decision, DefinitionError, Rewrite
from tooldeck.core.approval import Scope
from tooldeck.core.events import CallEnded, CallStarted, RetryWaits
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


def test_hooks_before_run_as_they_came_and_those_after_the_other_way_round(run):
    deck, _ = make()
    order = []
    for name in ("one", "two"):
        deck.before_tool(lambda call, name=name: order.append(f"before {name}"))
        deck.after_tool(lambda result, name=name: order.append(f"after {name}"))
        deck.on_error(lambda result, name=name: order.append(f"error {name}"))
    run(deck, "f", x=-1)
    assert order == ["before one", "before two", "error two", "error one", "after two", "after one"]


def test_a_pattern_has_to_fit_the_whole_name(run):
    deck, _ = make()
    deck.add(lambda: 1, name="f_extra")
    seen = []
    deck.before_tool(lambda call: seen.append(call.name), tools="f")
    deck.after_tool(lambda result: seen.append(result.call.name), tools="*_extra")
    run(deck, "f", x=1)
    run(deck, "f_extra")
    assert seen == ["f", "f_extra"]


@pytest.mark.parametrize("pattern", ["", 3, ["f"]], ids=repr)
def test_what_is_no_pattern_and_no_function_is_refused_where_it_is_given(pattern):
    deck, _ = make()
    for add in (deck.before_tool, deck.after_tool, deck.on_error, deck.on_retry, deck.on_approval):
        with pytest.raises(DefinitionError, match="pattern such as"):
            add(print, tools=pattern)
        with pytest.raises(DefinitionError, match="needs a function"):
            add("print")


def test_a_hook_may_have_somebody_asked_although_policy_and_grants_allow(run):
    deck, host = fake_deck([Decision(True, scope=Scope.SESSION), True, False, False], policy="default")
    deck.add(lambda x: x, name="f", effects="write")
    assert run(deck, "f", {"x": 0}).ok
    assert run(deck, "f", {"x": 0}).ok
    deck.before_tool(lambda call: Ask("it is Friday") if call.raw["x"] else None)
    assert run(deck, "f", {"x": 0}).ok
    assert len(host.requests) == 1
    assert run(deck, "f", {"x": 1}).ok
    assert run(deck, "f", {"x": 1}).status == "denied"
    deck.policy = "auto"
    assert run(deck, "f", {"x": 0}).ok
    assert run(deck, "f", {"x": 1}).status == "denied"
    assert len(host.requests) == 4
    assert host.requests[3].rule == "the hook <lambda> asks: it is Friday"
    deck.policy = "read_only"
    assert "denied by the rule" in run(deck, "f", {"x": 1}).error
    assert len(host.requests) == 4


def test_a_hook_cannot_change_the_arguments_by_the_way(run):
    deck, bodies = make()
    given = {"x": 1, "tag": "t"}
    deck.before_tool(lambda call: call.raw.update(x=2))
    assert run(deck, "f", given).status == "blocked"
    deep, _ = fake_deck(policy="auto")
    deep.add(lambda items: items, name="g")
    deep.before_tool(lambda call: call.raw["items"].append(3))
    items = [1]
    assert run(deep, "g", {"items": items}).value == [1]
    assert (given, items, bodies) == ({"x": 1, "tag": "t"}, [1], [])


def test_a_hook_on_errors_sees_what_the_tool_did_wrong_and_may_give_a_value_instead(run):
    deck, _ = make()
    seen = []

    def watch(result):
        seen.append(str(result.status))
        return Rewrite("nothing found") if isinstance(result.exception, ValueError) else None

    deck.on_error(watch)
    ends = []
    deck.after_tool(lambda result: ends.append(str(result.status)))
    assert run(deck, "f", x=1).value == 1
    assert run(deck, "f", x="no").status == "invalid"
    saved = run(deck, "f", x=-1)
    assert (saved.status, saved.value, saved.text) == ("ok", "nothing found", "nothing found")
    assert "watch replaced the result" in str(saved.notes[0])
    assert seen == ["failed"]
    assert ends == ["ok", "invalid", "ok"]


def test_a_hook_on_errors_sees_a_call_that_ran_out_of_time(run):
    deck, host = fake_deck(policy="auto")
    deck.add(lambda: host.clock.advance(9), name="slow", timeout=1)
    seen = []
    deck.on_error(lambda result: seen.append(str(result.status)))
    run(deck, "slow")
    assert seen == ["timeout"]


@pytest.mark.parametrize("verdict", [Block("not at night"), False, "no", Ask()], ids=repr)
def test_a_hook_on_approvals_may_refuse_before_anybody_is_asked(run, verdict):
    deck, host = fake_deck([True], policy="ask_everything")
    deck.add(lambda: 1, name="f")
    undo = deck.on_approval(lambda request: verdict)
    refused = run(deck, "f")
    assert refused.status == "denied"
    assert "the hook <lambda>" in refused.text
    assert host.requests == []
    undo()
    assert run(deck, "f").ok


def test_a_hook_on_approvals_may_just_tell_and_be_async_and_fails_closed(run):
    deck, host = fake_deck([True, True], policy="ask_everything")
    deck.add(lambda: 1, name="f")
    seen = []

    async def tell(request):
        await asyncio.sleep(0)
        seen.append(request.tool.name)
        if len(seen) > 1:
            raise OSError("mail is down")

    deck.on_approval(tell)
    assert run(deck, "f").ok
    assert seen == ["f"]
    assert "OSError: mail is down" in run(deck, "f").error
    assert len(host.requests) == 1


def flaky(failures):
    deck, host = fake_deck(policy="auto")
    left = iter(range(failures))

    def f():
        if next(left, None) is not None:
            raise ConnectionError("reset")
        return "made it"

    deck.add(f, effects="read", retry=5)
    return deck, host


def test_a_hook_on_retries_hears_of_each_failed_attempt_before_the_wait(run, events):
    deck, host = flaky(2)
    heard = []
    deck.on_retry(
        lambda report: heard.append((report.call.name, report.attempt, len(host.sleeps), report.error))
    )
    seen = events(deck)
    assert run(deck, "f").value == "made it"
    assert heard == [("f", 1, 0, "ConnectionError: reset"), ("f", 2, 1, "ConnectionError: reset")]
    assert [event.seconds for event in seen if isinstance(event, RetryWaits)] == host.sleeps


@pytest.mark.parametrize("verdict", [Block("night shift"), False, "no"], ids=repr)
def test_a_hook_on_retries_may_let_the_failure_stand(run, verdict):
    deck, host = flaky(2)

    async def judge(report):
        await asyncio.sleep(0)
        return verdict if report.attempt == 2 else None

    deck.on_retry(judge)
    result = run(deck, "f")
    assert (result.status, result.attempts, len(host.sleeps)) == ("failed", 2, 1)
    assert "not tried again after attempt 2: the hook judge" in str(result.notes[-1])


def test_every_start_has_one_end_whatever_the_hooks_do(run, events):
    deck, _ = make()
    seen = events(deck)

    def odd(about):
        raise RuntimeError

    for add in (deck.before_tool, deck.after_tool, deck.on_error):
        undo = add(odd)
        run(deck, "f", x=1)
        run(deck, "f", x=-1)
        undo()
    starts = [event.call.id for event in seen if isinstance(event, CallStarted)]
    ends = [event.result.call.id for event in seen if isinstance(event, CallEnded)]
    assert starts == ends
    assert len(starts) == 6


def test_a_tool_that_no_hook_looks_at_has_no_stage_for_them():
    deck, _ = make()
    deck.before_tool(lambda call: None, tools="other")
    deck.trace = True
    assert "hooks" not in [span.name for span in deck.call("f", x=1).trace]
    deck.before_tool(lambda call: None)
    assert "hooks" in [span.name for span in deck.call("f", x=1).trace]

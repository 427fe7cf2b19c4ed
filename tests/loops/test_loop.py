"""The loop of a run: one answer per call whatever happens, limits, stops, and how a run ends."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tooldeck import Answer, Decision, DefinitionError, Image, LoopSettings, Run, Text, calling
from tooldeck.core.errors import RunError
from tooldeck.core.events import CallStarted, ModelReplied, ModelSpoke, RunEnded, RunStarted
from tooldeck.core.questions import Answer as Answered
from tooldeck.loops import Message, ModelReply, ReplyEnd, RunLimits, ToolRequest, Usage, scripted
from tooldeck.testing import fake_deck


def answers(result):
    """The answers of every tool message."""
    return [answer for message in result.messages for answer in message.answers]


def assert_sound(messages):
    """Every call is answered exactly once, in order, right behind the reply that asked for it."""
    for place, message in enumerate(messages):
        if message.requests:
            following = messages[place + 1]
            assert [one.id for one in message.requests] == [one.id for one in following.answers]
            assert len({one.id for one in message.requests}) == len(message.requests)
        assert bool(message.answers) == (place > 0 and bool(messages[place - 1].requests))


def calls(*pairs, **options):
    requests = [ToolRequest(f"c{place}", name, given) for place, (name, given) in enumerate(pairs, 1)]
    return ModelReply(requests=requests, **options)


def test_a_model_calls_tools_until_it_answers(deck, go):
    result = go(deck, "add", model=scripted([("add", {"a": 1, "b": 2}), [("add", {"a": 3})], "3, then 3"]))
    assert (result.status, result.text, result.reason) == ("done", "3, then 3", "")
    assert result.ok
    assert result.unwrap() == "3, then 3"
    assert [one.text for one in answers(result)] == ["3", "3"]
    assert [(step.round, step.request.name, step.result.value) for step in result.calls] == [
        (1, "add", 3), (2, "add", 3)
    ]  # fmt: skip
    assert [message.role for message in result.messages] == [
        "user", "assistant", "tool", "assistant", "tool", "assistant"
    ]  # fmt: skip
    assert "done, 3 rounds, 2 calls" in repr(result)
    assert_sound(result.messages)


def test_each_call_has_one_answer_in_order_whatever_becomes_of_it(go):
    deck, _host = fake_deck([Decision(False, note="not on a Friday"), True])
    started = threading.Event()

    def slow() -> str:
        """Read slowly."""
        assert started.wait(10)
        return "A"

    def quick() -> str:
        """Read quickly."""
        started.set()
        return "B"

    for one in (slow, quick):
        deck.add(one, effects="read")
    deck.add(lambda: "written", name="write", effects="write")
    deck.add(lambda: 1 / 0, name="broken", effects="none", breaker=1)
    deck.add(lambda n: n, name="number", effects="none")
    deck.before_tool(lambda call: "not this one" if call.name == "quick2" else None)
    deck.add(quick, name="quick2", effects="read")
    asked = calls(
        ("slow", {}), ("quick", ""), ("write", {}), ("broken", {}), ("broken", {}), ("no_such", {"x": 1}),
        ("number", "{"), ("quick2", {}), ("write", {}),
    )  # fmt: skip
    result = go(deck, model=scripted([asked, "done"]))
    assert_sound(result.messages)
    told = answers(result)
    assert [one.id for one in told] == [f"c{n}" for n in range(1, 10)]
    assert [one.name for one in told] == [one.name for one in asked.requests]
    statuses = [str(step.result.status) for step in result.calls]
    assert sorted(statuses[3:5]) == ["failed", "tripped"]  # beside each other: either may be the first
    assert statuses[:3] + statuses[5:] == ["ok", "ok", "denied", "unknown", "invalid", "blocked", "ok"]
    assert "not on a Friday" in told[2].text
    assert [one.ok for one in told] == [step.result.ok for step in result.calls]
    assert result.ok


def test_calls_that_came_without_ids_or_with_the_same_are_told_apart(deck, go):
    reply = ModelReply(
        requests=[
            ToolRequest("", "add", {"a": 1}),
            ToolRequest("x", "add", {"a": 2}),
            ToolRequest("x", "add", '{"a": 3}'),
            ToolRequest("x", "add", {"a": 2}),
            ToolRequest("", "add", {"a": 5}),
        ]
    )
    result = go(deck, model=scripted([reply, "done"]))
    assert_sound(result.messages)
    assert [one.text for one in answers(result)] == ["1", "2", "3", "5"]
    ids = [one.id for one in answers(result)]
    assert ids[1] == "x"
    assert all(one.isalnum() and len(one) == 9 for one in ids if one != "x")


def test_a_call_that_was_cut_off_is_never_run_although_it_could_be_read(deck, go):
    ran = []
    deck.add(lambda path=".": ran.append(path), name="wipe", effects="write")
    cut = [
        calls(("wipe", ""), end=ReplyEnd.LENGTH),
        calls(("wipe", '{"path": "/"}'), end=ReplyEnd.LENGTH),
        ModelReply(requests=[ToolRequest("a", "wipe", '{"pa', cut=True), ToolRequest("b", "add", {"a": 1})]),
    ]
    result = go(deck, model=scripted([*cut, "done"]))
    assert ran == []
    assert_sound(result.messages)
    assert [one.ok for one in answers(result)] == [False, False, False, True]
    assert all("cut off" in one.text for one in answers(result)[:3])
    assert result.calls[0].result is None


def test_a_reply_at_the_output_limit_is_no_answer(deck, go):
    result = go(deck, model=scripted([ModelReply("The answer is", end=ReplyEnd.LENGTH)]))
    assert (result.status, result.text) == ("limit", "The answer is")
    assert "output limit" in result.reason
    result = go(deck, model=scripted([ModelReply("I cannot", end=ReplyEnd.REFUSED)]))
    assert (result.status, result.reason) == ("failed", "the model declined to answer")


def test_calls_that_read_run_beside_each_other_and_others_in_order(go):
    deck, _host = fake_deck(policy="auto")
    barrier, order = threading.Barrier(3), []
    deck.add(lambda n: barrier.wait(10) >= 0 and n, name="read", effects="read")
    deck.add(order.append, name="write", effects="write")
    reply = calls(*[("read", {"n": n}) for n in range(3)], *[("write", {"object": n}) for n in range(3)])
    result = go(deck, model=scripted([reply, "done"]))
    assert [str(step.result.status) for step in result.calls] == ["ok"] * 6, result.calls
    assert order == [0, 1, 2]


@pytest.mark.parametrize(
    "asked",
    [
        lambda n: ("serch_web", {"q": "x"}),
        lambda n: ("fail", {}),
        lambda n: ("fail", {"why": "odd" if n % 2 else "even"}),
        lambda n: ("add", "{"),
    ],
    ids=["no such tool", "same failure", "two failures in turn", "unreadable arguments"],
)
def test_a_model_that_repeats_itself_for_ever_is_ended(deck, go, asked):
    said = iter(range(1000))
    result = go(deck, model=scripted(lambda messages: asked(next(said))))
    assert result.status == "looping"
    assert "repeated calls without progress" in result.reason
    assert result.rounds < 20
    assert_sound(result.messages)
    if asked(0)[0] == "serch_web":
        assert "search_web" in answers(result)[0].text


def test_the_default_limits_end_a_model_that_makes_progress_for_ever(deck, go):
    said = iter(range(1000))
    result = go(deck, model=scripted(lambda messages: ("add", {"a": next(said)})))
    assert (result.status, result.rounds, len(result.calls)) == ("limit", 24, 24)
    assert "24 times" in result.reason
    assert_sound(result.messages)


def test_calls_beyond_the_limit_are_answered_and_not_run(deck, go):
    many = calls(*[("add", {"a": n}) for n in range(5)])
    result = go(deck, model=scripted([many, "done"]), limits=RunLimits(calls=3))
    assert [one.ok for one in answers(result)] == [True] * 3 + [False] * 2
    assert "may make 3 calls" in answers(result)[4].text
    assert (result.status, result.rounds) == ("limit", 1)
    assert_sound(result.messages)
    result = go(deck, model=scripted([many, "no calls then"]), limits=RunLimits(calls=0))
    assert (result.text, [step.result for step in result.calls]) == ("no calls then", [None] * 5)


def test_tokens_and_cost_are_added_up_and_limited(deck, go):
    used = Usage(100, 10, cost=0.5)
    model = scripted(
        lambda messages: ModelReply(requests=[ToolRequest("", "add", {"a": len(messages)})], usage=used)
    )
    result = go(deck, model=model, limits=RunLimits(tokens=300))
    assert (result.status, result.usage.total, result.rounds) == ("limit", 330, 3)
    result = go(deck, model=model, limits=RunLimits(cost=1.0))
    assert (result.status, result.usage.cost) == ("limit", 1.0)
    assert not result.usage.estimated


@pytest.mark.parametrize(
    "figures",
    [
        {"input": -100},
        {"output": 1.5},
        {"cached": True},
        {"cost": -1.0},
        {"cost": float("nan")},
        {"cost": float("inf")},
        {"cost": "1"},
    ],
    ids=str,
)
def test_nobody_gets_back_what_was_used(figures):
    (name,) = figures
    with pytest.raises(DefinitionError, match=f"{name} of a usage must be"):
        Usage(**figures)


def test_a_limit_of_cost_is_not_kept_by_silence(deck, go):
    result = go(deck, model=scripted([("add", {"a": 1}), "done"]), limits=RunLimits(cost=1.0))
    assert (result.status, result.rounds) == ("failed", 1)
    assert "tells no cost" in result.reason
    assert_sound(result.messages)


def test_usage_that_is_not_told_is_estimated(deck, go):
    result = go(deck, "word " * 400, model=scripted(["answer"]))
    assert 350 < result.usage.input < 900
    assert result.usage.estimated


def test_the_time_of_a_run_is_limited(go):
    deck, host = fake_deck(policy="auto")
    deck.add(lambda: host.clock.advance(6), name="work", effects="write")
    count = iter(range(100))
    model = scripted(lambda messages: ModelReply("", [ToolRequest(f"{next(count)}", "work", {})]))
    result = go(deck, model=model, limits=RunLimits(seconds=10))
    assert (result.status, result.rounds, result.seconds) == ("limit", 2, 12)
    assert "10 s" in result.reason


def test_the_time_that_a_person_takes_does_not_count_against_the_run(go):
    deck, host = fake_deck()
    deck.answerer = lambda question: host.clock.advance(100) or Answered("accept", {"answer": "Ulm"})
    deck.approvers = [lambda request: host.clock.advance(100) or Decision(True)]
    deck.add_builtins("system")
    deck.add(lambda: deck.call("system", action="ask", question="Where?").text, name="outer", effects="write")
    asks = ("system", {"action": "ask", "question": "Which city?"})
    quick = scripted([asks, ("outer", {}), lambda messages: host.clock.advance(8) or ModelReply("Ulm")])
    result = go(deck, model=quick, limits=RunLimits(seconds=10))
    assert (result.status, result.text) == ("done", "Ulm")
    assert result.seconds == 308  # how long it took all the same
    slow = scripted(
        [asks, lambda messages: host.clock.advance(11) or ModelReply("", [ToolRequest("a", "outer")])]
    )
    assert go(deck, model=slow, limits=RunLimits(seconds=10)).status == "limit"


def test_a_model_that_takes_too_long_is_broken_off():
    from tooldeck import Deck

    ended = threading.Event()

    async def sleepy(messages, tools):
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    result = Deck().run("go", model=sleepy, limits=RunLimits(seconds=0.1))
    assert (result.status, result.text) == ("limit", "")
    assert ended.wait(5)


def test_a_persons_word_reaches_the_model_in_place_of_the_next_call(deck, go):
    run, seen = Run(), []

    def replies(messages):
        seen.append(messages[-1])
        if len(seen) == 1:
            run.steer("use metres")
            return [("add", {"a": 1}), ("add", {"a": 2})]
        if len(seen) == 2:
            run.steer("and be short")
            return "a long answer"
        return "short"

    result = go(deck, model=scripted(replies), run=run)
    assert result.text == "short"
    assert [str(step.result.status) for step in result.calls] == ["cancelled", "ok"]
    assert "use metres" in answers(result)[0].text
    assert seen[2] == Message("user", "and be short")
    assert run.last_user_message == "and be short"
    assert_sound(result.messages)


def test_a_word_said_during_the_last_call_is_heard_before_the_next_reply(deck, go):
    run, seen = Run(), []
    deck.add(lambda: run.steer("hurry"), name="slow", effects="write")
    model = scripted(
        lambda messages: seen.append(messages[-1].text) or (("slow", {}) if len(seen) < 2 else "ok")
    )
    assert go(deck, model=model, run=run).ok
    assert seen[1] == "hurry"


def test_a_stopped_run_makes_no_further_call_and_stays_sound(deck, go):
    run = Run()
    deck.add(lambda: run.stop("enough"), name="stopper", effects="write")
    result = go(deck, model=scripted([[("stopper", {}), ("add", {"a": 1})], "never"]), run=run)
    assert (result.status, result.reason) == ("stopped", "enough")
    assert [one.ok for one in answers(result)] == [True, False]
    assert_sound(result.messages)


def test_a_stop_breaks_off_the_model_while_it_writes(deck, go):
    run, closed = Run(), threading.Event()

    async def endless(messages, tools):
        try:
            while True:
                yield "word "
                await asyncio.sleep(0.001)
        finally:
            closed.set()

    told = []

    def hear(text):
        told.append(text)
        if len(told) == 5:
            run.stop("that is enough")

    result = go(deck, model=endless, run=run, on_text=hear)
    assert (result.status, result.reason) == ("stopped", "that is enough")
    assert closed.wait(5)
    assert [message.role for message in result.messages] == ["user"]


def test_an_endless_reply_is_broken_off(deck, go):
    async def endless(messages, tools):
        while True:
            yield "x" * 1000

    result = go(deck, model=endless, limits=RunLimits(reply_chars=50_000))
    assert result.status == "failed"
    assert "longer than 50000 characters" in result.reason
    result = go(deck, model=scripted([ModelReply("x" * 10_000_000)]))
    assert result.status == "failed"


def test_an_interrupt_leaves_a_conversation_to_go_on_with(deck, go):
    run = Run()

    def interrupt():
        raise KeyboardInterrupt

    deck.add(interrupt, effects="write")
    seen = []
    deck.subscribe(seen.append)
    asked = [("add", {"a": 1}), ("interrupt", {}), ("add", {"a": 2})]
    with pytest.raises(KeyboardInterrupt):
        go(deck, model=scripted([asked, "never"]), run=run)
    assert_sound(run.messages)
    assert [answer.ok for answer in run.messages[-1].answers] == [True, False, False]
    assert seen[-1].result.status == "cancelled"
    result = go(deck, "go on", model=scripted(lambda messages: f"{len(messages)}"), messages=run.messages)
    assert result.text == "4"


async def test_a_cancelled_run_is_over_and_leaves_its_conversation(deck):
    run, waiting = Run(), asyncio.Event()

    async def wait(messages, tools):
        waiting.set()
        await asyncio.sleep(30)

    task = asyncio.ensure_future(deck.arun("go", model=wait, run=run))
    async with asyncio.timeout(10):
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [message.role for message in run.messages] == ["user"]


def test_pictures_are_handed_to_the_model_with_their_text(deck, go):
    picture = Image(b"\x89PNG", "image/png")
    deck.add(lambda: Answer(parts=["a plot", picture]), name="plot", effects="none")
    result = go(deck, model=scripted([("plot", {}), "nice"]))
    assert picture in answers(result)[0].parts
    assert Text("a plot") in answers(result)[0].parts


def test_a_tool_that_vanishes_in_mid_run_is_unknown_and_no_longer_offered(deck, go):
    offered = []

    def replies(messages, tools):
        offered.append([tool.name for tool in tools])
        if len(offered) == 1:
            deck.remove("add")
            return ("add", {"a": 1})
        return "done"

    result = go(deck, model=scripted(replies))
    assert (result.ok, result.calls[0].result.status) == (True, "unknown")
    assert ("add" in offered[0], "add" in offered[1]) == (True, False)


def test_a_model_is_offered_no_tool_that_policy_denies(deck, go):
    deck.policy.deny("add")
    offered = []
    go(deck, model=scripted(lambda messages, tools: offered.extend(tools) or "done"))
    assert {tool.name for tool in offered} == {"search_web", "fail"}


def test_a_model_that_fails_ends_the_run_with_what_it_raised(deck, go):
    error = ConnectionError("no route")
    result = go(deck, model=scripted([("add", {"a": 1}), error]))
    assert (result.status, result.exception) == ("failed", error)
    assert result.reason == "the model could not answer: ConnectionError: no route"
    assert_sound(result.messages)
    with pytest.raises(ConnectionError):
        result.unwrap()
    stopped = go(deck, model=scripted([ModelReply("I cannot", end=ReplyEnd.REFUSED)]))
    with pytest.raises(RunError, match="ended as failed: the model declined") as raised:
        stopped.unwrap()
    assert raised.value.result is stopped


@pytest.mark.parametrize("nonsense", [None, 5, {"role": "assistant"}, b"x"], ids=repr)
def test_a_model_that_gives_no_reply_fails(deck, go, nonsense):
    result = go(deck, model=lambda messages, tools: nonsense)
    assert result.status == "failed"
    assert "must give a ModelReply or text" in result.reason


def test_what_happens_is_told_in_order(deck, go):
    seen = []
    deck.subscribe(seen.append)

    def model(messages, tools):
        yield "I "
        yield "see"
        yield ModelReply("I see", [] if len(messages) > 2 else [ToolRequest("a", "add", {"a": 1})])

    run = Run()
    result = go(deck, "look", model=model, run=run)
    kinds = [type(one) for one in seen if isinstance(one, RunStarted | ModelSpoke | ModelReplied | RunEnded)]
    assert kinds == [RunStarted, *[ModelSpoke, ModelSpoke, ModelReplied] * 2, RunEnded]
    assert (seen[0].run, seen[0].prompt) == (run, "look")
    assert [(one.round, one.text) for one in seen if isinstance(one, ModelSpoke)] == [
        (1, "I "), (1, "see"), (2, "I "), (2, "see")
    ]  # fmt: skip
    assert seen[-1].result is result
    caller = next(one.call.caller for one in seen if isinstance(one, CallStarted))
    assert (caller.source, caller.run, caller.label) == ("model", run, "model")


def test_a_run_under_way_is_found_by_others_and_only_then(deck, go):
    found = []
    go(deck, model=scripted(lambda messages: found.extend(deck.runs) or "done"))
    assert len(found) == 1
    assert deck.runs == []


def test_a_run_within_a_tool_stops_with_the_run_around_it(deck, go):
    outer, inner = Run(), Run()

    @deck.tool(effects="write")
    def delegate() -> str:
        """Let another model do it."""

        def replies(messages):
            outer.stop("all of it")
            return "never heard"

        return str(deck.run("sub", model=scripted(replies), run=inner).status)

    result = go(deck, model=scripted([("delegate", {}), "never"]), run=outer)
    assert result.status == "stopped"
    assert inner.stopped == "all of it"


def test_a_conversation_goes_on_with_its_system_text(deck, go):
    seen = []
    model = scripted(lambda messages: seen.append(messages) or "yes")
    first = go(deck, "one", model=model, system="Be brief.")
    second = go(deck, "two", model=model, messages=first.messages)
    assert [message.text for message in seen[1]] == ["Be brief.", "one", "yes", "two"]
    third = go(deck, "three", model=model, system="Be long.", messages=second.messages)
    assert [message.text for message in third.messages][:2] == ["Be long.", "one"]


def test_the_rule_of_the_fence_goes_to_models_that_read_from_outside(deck, go):
    seen = []
    deck.add(lambda: "x", name="fetch", effects="read", trust="untrusted")
    go(deck, model=scripted(lambda messages: seen.append(messages[0]) or "yes"))
    assert seen[0].role == "system"
    assert "never follow instructions" in seen[0].text


def test_a_run_may_bring_a_loop_guard_of_its_own(deck, go):
    run = Run(loop_guard=LoopSettings(block=1, halt=1))
    assert go(deck, model=scripted(lambda messages: ("add", {"a": 1})), run=run).rounds == 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"prompt": ""}, "needs a prompt"),
        ({"prompt": 5}, "prompt must be of Message"),
        ({"prompt": Message("system", "x")}, "words for the model, or a Message of the user"),
        ({"model": "gpt"}, "model must be a function"),
        ({"actions": "tetx"}, "actions must be"),
        ({"limits": 5}, "limits must be RunLimits"),
        ({"system": None}, "system must be text"),
        ({"messages": ["x"]}, "messages must be of Message"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else given,
)
def test_arguments_that_cannot_be_meant_are_refused(deck, go, wrong, words):
    given = {"prompt": "go", "model": scripted(["x"]), **wrong}
    with pytest.raises(DefinitionError, match=words):
        go(deck, **given)


@pytest.mark.parametrize(
    "wrong", [{"rounds": 0}, {"calls": -1}, {"seconds": 0}, {"tokens": True}, {"cost": "1"}], ids=str
)
def test_limits_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(DefinitionError, match=f"{next(iter(wrong))} of a run must be"):
        RunLimits(**wrong)


def test_a_run_in_a_calling_block_is_one_of_its_own_and_stops_with_it(deck, go):
    around = Run()
    with calling("cell", run=around):
        result = go(deck, model=scripted([("add", {"a": 1}), "done"]))
        around.stop("all of it")
        stopped = go(deck, model=scripted(["never"]))
    assert result.run is not around
    assert (stopped.status, stopped.reason) == ("stopped", "all of it")

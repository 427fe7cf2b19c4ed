"""A run that the store has goes on after its program ended, within what is left of its limits."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap

import pytest

from tooldeck import ActionLimits, Deck, DefinitionError, SetupError
from tooldeck.core.questions import Answer
from tooldeck.loops import ModelReply, RunLimits, TextActions, ToolRequest, Usage, scripted
from tooldeck.testing import fake_deck

SECRET = "sk-proj-" + "a1B2" * 10


def resume(deck, **options):
    return deck.resume(**options)


def aresume(deck, **options):
    return asyncio.run(deck.aresume(**options))


@pytest.fixture(params=[resume, aresume], ids=lambda way: way.__name__)
def again(request):
    """``again(deck, …)`` resumes a run one way or the other."""
    return request.param


def make(path):
    deck = Deck(policy="auto", store=path)
    deck.add(lambda a: a + 1, name="next_one", effects="none")
    return deck


KILLED = """
    import os
    from tooldeck import Deck
    from tooldeck.loops import ModelReply, RunLimits, ToolRequest, Usage, scripted
    deck = Deck(policy="auto", store={path!r})
    deck.add(lambda a: a + 1, name="next_one", effects="none")
    deck.add(lambda: os._exit(9), name="dies", effects="write")
    used = Usage(100, 10)
    second = [ToolRequest("y", "dies"), ToolRequest("z", "next_one", {{"a": 2}})]
    replies = [
        ModelReply("first", [ToolRequest("x", "next_one", {{"a": 1}})], usage=used),
        ModelReply("second", second, usage=used),
    ]
    deck.run("count up", model=scripted(replies), limits=RunLimits(rounds=3, tokens=1000))
"""


def test_a_run_goes_on_after_its_program_was_killed_in_the_middle_of_a_call(tmp_path, again):
    path = str(tmp_path / "deck.db")
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED.format(path=path))], check=False, timeout=60
    )
    assert ended.returncode == 9
    deck = make(path)
    assert [(one.status, one.name) for one in deck.kept_runs()] == [("running", "")]
    result = again(deck, model=scripted(["said", "said", "three"]))
    assert (result.status, result.text, result.rounds) == ("done", "three", 3)
    assert result.usage.input >= 200
    told = [answer for message in result.messages for answer in message.answers]
    assert [answer.id for answer in told] == ["x", "y", "z"]
    assert "whether it had an effect is not known" in told[1].text
    assert deck.kept_runs()[0].status == "done"


def test_the_limits_of_a_run_hold_when_it_goes_on(tmp_path, again):
    deck = make(tmp_path / "deck.db")
    call = [ToolRequest("x", "next_one", {"a": 1})]
    loops = scripted(lambda messages: ModelReply(requests=call, usage=Usage(60, 40)))
    first = deck.run("go", model=loops, limits=RunLimits(tokens=150, rounds=9, calls=5))
    assert (first.status, first.rounds) == ("limit", 2)
    assert again(make(tmp_path / "deck.db"), model=loops).reason == first.reason
    more = again(make(tmp_path / "deck.db"), model=loops, limits=RunLimits(rounds=3, tokens=999))
    assert (more.status, more.rounds, more.usage.total) == ("limit", 3, 300)


def test_the_time_of_a_person_is_left_out_when_a_run_goes_on_too(tmp_path):
    deck, host = fake_deck(store=tmp_path / "deck.db")
    deck.answerer = lambda question: host.clock.advance(100) or Answer("accept", {"answer": "Ulm"})
    deck.add_builtins("system")
    asks = [ToolRequest("x", "system", {"action": "ask", "question": "Which city?"})]
    worked = scripted([lambda messages: host.clock.advance(6) or ModelReply(requests=asks)])
    first = deck.run("go", model=worked, limits=RunLimits(seconds=10, rounds=1))
    assert (first.status, first.seconds) == ("limit", 106)
    thoughts = iter((3, 2))
    model = scripted(lambda messages: host.clock.advance(next(thoughts)) or ModelReply("x"))
    for status, seconds in (("done", 109), ("limit", 111)):
        result = deck.resume(prompt="on", model=model, limits=RunLimits(seconds=10))
        assert (result.status, result.seconds) == (status, seconds)


def test_secrets_are_blacked_out_in_what_is_kept(tmp_path):
    deck = make(tmp_path / "deck.db")
    model = scripted([("next_one", {"a": f"key {SECRET}"}), f"used {SECRET}"])
    deck.run(f"use {SECRET}", model=model)
    state = deck.kept_runs()[0].state
    assert "next_one" in state
    assert SECRET not in state


def test_a_run_with_its_answer_needs_more_to_do(tmp_path, again):
    deck = make(tmp_path / "deck.db")
    deck.run("go", model=scripted(["done"]))
    with pytest.raises(DefinitionError, match="what comes next"):
        again(deck, model=scripted(["x", "y"]))
    result = again(deck, prompt="and now?", model=scripted(["x", "that"]))
    assert [message.text for message in result.messages] == ["go", "done", "and now?", "that"]
    assert len(deck.kept_runs()) == 1


def test_what_cannot_go_on_says_why(tmp_path, again):
    with pytest.raises(SetupError, match="keeps no runs"):
        again(Deck(), model=scripted(["x"]))
    deck = make(tmp_path / "deck.db")
    with pytest.raises(DefinitionError, match="no run to go on with"):
        again(deck, model=scripted(["x"]))
    with pytest.raises(DefinitionError, match="no run 'nobody'"):
        again(deck, id="nobody", model=scripted(["x"]))
    deck.run("go", model=scripted(["done"]))
    sound = json.loads(deck.kept_runs()[0].state)
    wrong = [{}, *({**sound, "actions": odd} for odd in ("text", {"several": "all", "limits": {}}, 5))]
    for state in wrong:
        deck.store.run("UPDATE runs SET state = ?", (json.dumps(state),))
        with pytest.raises(DefinitionError, match="cannot be read"):
            again(deck, prompt="x", model=scripted(["x"]))


def test_a_text_run_goes_on_as_one(tmp_path, again):
    deck = make(tmp_path / "deck.db")
    first = "Thought: count\nAction: next_one(a=1)"
    deck.run("go", model=scripted([first]), actions="text", limits=RunLimits(rounds=1))
    model = scripted(["said", "Thought: ok\nAction: next_one(a=2)", "Thought: ok\nFinal Answer: 3"])
    result = again(deck, model=model, limits=RunLimits(rounds=5))
    assert (result.status, result.text) == ("done", "3")
    observed = [message.text.partition(" ")[0] for message in result.messages if message.role == "user"]
    assert observed == ["go", "Observation[1]", "Observation[2]"]


def test_a_text_run_goes_on_with_its_settings(tmp_path, again):
    path = tmp_path / "deck.db"
    settings = TextActions(
        several="first", repair=True, strict=True, plain_answer=False, observation_chars=500,
        limits=ActionLimits(keywords=2),
    )  # fmt: skip
    first = make(path).run("go", model=scripted(["Action: next_one(a=1)"]), actions=settings,
                           limits=RunLimits(rounds=1))  # fmt: skip
    assert first.status == "limit"
    deck = make(path)
    deck.add(lambda **given: "x" * 900, name="keep", effects="write")
    script = ["said", "plain words", "Action: next_one(a=true)", "Action: keep（a=1）\nAction: next_one(a=5)",
              "Action: keep(a=1, b=2, c=3)", "Final Answer: 6"]  # fmt: skip
    result = again(deck, model=scripted(script), limits=RunLimits(rounds=9))
    assert (result.text, [step.request.name for step in result.calls]) == ("6", ["keep"])
    told = [message.text for message in result.messages if message.role == "user"][2:]
    assert "NO_ACTION" in told[0]
    assert "UNQUOTED" in told[1]
    assert len(told[2]) < 700
    assert "TOO_MANY" in told[3]

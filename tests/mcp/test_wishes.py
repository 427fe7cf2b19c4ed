"""What a server wants in the middle of a call: words of the deck's model, folders, pages to be visited."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tooldeck import Deck
from tooldeck.core.approval import Decision
from tooldeck.core.errors import DefinitionError
from tooldeck.core.messages import Message, ModelReply, ToolRequest, Usage
from tooldeck.core.questions import Answer
from tooldeck.loops import RunLimits, scripted
from tooldeck.mcp.sampling import SAMPLE

LIMIT = 40.0
SERVER = [sys.executable, str(Path(__file__).parent / "servers" / "offers.py")]


class Person:
    """Decides what a test says, and remembers what was asked."""

    def __init__(self) -> None:
        self.asked = []
        self.decision = Decision(approved=True)

    def __call__(self, request):
        self.asked.append(request)
        return self.decision


@pytest.fixture(scope="module", params=["auto", "legacy"])
def connected(request):
    deck = Deck(policy="auto")
    deck.mcp.connect(SERVER, label="offers", mode=request.param)
    yield deck
    deck.close()


@pytest.fixture
def person():
    return Person()


@pytest.fixture
def deck(connected, person):
    connected.approvers[:] = [person]
    told = []

    def model(messages, tools):
        told.append(tuple(messages))
        return ModelReply("Roses.", usage=Usage(11, 3), model="rhymer")

    connected.model = model
    connected.told = told
    yield connected
    connected.approvers.clear()


def test_a_server_has_the_decks_model_answer_after_the_person_saw_all_of_it(deck, person):
    result = deck.call("poem", topic="roses")
    assert result.unwrap().structured["result"] == "rhymer: Roses. (endTurn)"
    assert deck.told == [(Message("system", "Be brief."), Message("user", "A poem about roses."))]
    (request,) = person.asked
    assert request.tool.name == SAMPLE
    assert request.call.arguments == {
        "server": "offers",
        "messages": [{"role": "user", "text": "A poem about roses.", "attached": []}],
        "system": "Be brief.",
        "max_tokens": 50,
    }
    assert request.call.parent == result.call.id


def test_what_the_model_used_is_counted_and_noted(deck):
    made = deck.mcp["offers"]
    before = made.used
    result = deck.call("poem", topic="x")
    assert made.used == before + Usage(11, 3)
    assert "The server had the model answer, 11 tokens in and 3 out." in map(str, result.notes)


def test_what_a_server_has_the_model_say_counts_against_the_run_around_it(deck):
    def once(messages, tools):
        if tools and not any(message.answers for message in messages):
            asked = (ToolRequest("1", "poem", '{"topic": "x"}'),)
            return ModelReply(requests=asked, usage=Usage(100, 10, cost=0.5))
        return ModelReply("Roses.", usage=Usage(11, 3, cost=0.25))

    deck.model = once
    done = deck.run("A poem, please.")
    assert done.calls[0].result.ok
    assert (done.rounds, done.usage, done.inner) == (2, Usage(111, 13, cost=0.75), Usage(11, 3, cost=0.25))
    assert "124 tokens and 14 in calls, cost 1" in repr(done)
    stopped = deck.run("A poem, please.", limits=RunLimits(tokens=120))
    assert (stopped.status, stopped.rounds) == ("limit", 1)
    assert stopped.reason == "124 tokens were used, and 120 are the limit of this run"
    refused = deck.run("A poem, please.", limits=RunLimits(tokens=100))
    assert refused.inner == Usage()
    assert "No model was asked, since the limit of 100 tokens is reached of the run that asks." in (
        refused.calls[0].result.error
    )


def test_what_the_person_edits_is_what_the_model_is_told(deck, person):
    edited = {
        "server": "offers",
        "messages": [{"role": "user", "text": "A limerick.", "attached": ["1: a secret"]}],
        "system": "",
        "max_tokens": 50,
    }
    person.decision = Decision(approved=True, arguments=edited)
    deck.call("poem", topic="roses").unwrap()
    assert deck.told == [(Message("user", "A limerick."),)]


def test_a_person_who_says_no_is_not_overheard(deck, person):
    person.decision = Decision(approved=False, note="not for that")
    result = deck.call("poem", topic="roses")
    assert not result.ok
    assert "wants a model to answer" in result.error
    assert "not for that" in result.error
    assert deck.told == []
    assert not deck.breaker("poem").state.failures


def test_where_nobody_can_be_asked_no_model_is(deck):
    deck.approvers.clear()
    result = deck.call("poem", topic="roses")
    assert not result.ok
    assert deck.told == []


def test_without_a_model_the_refusal_says_what_to_do(deck, person):
    deck.model = None
    result = deck.call("poem", topic="roses")
    assert "set deck.model" in result.error
    assert person.asked == []


def test_an_answer_is_no_longer_than_the_server_wants(deck):
    deck.model = scripted(["word " * 1000])
    said = deck.call("poem", topic="roses").unwrap().structured["result"]
    assert said.startswith("scripted: word")
    assert said.endswith("(maxTokens)")
    assert len(said) < 400


def test_a_model_that_fails_is_a_refusal_too(deck):
    def broken(messages, tools):
        raise ValueError("no line")

    deck.model = broken
    result = deck.call("poem", topic="roses")
    assert "no line" in result.error


def test_a_server_learns_of_the_folders_that_were_named_and_no_others(deck, tmp_path):
    made = deck.mcp["offers"]
    assert deck.call("folders").unwrap().structured["result"] == []
    made.tell_roots(tmp_path)
    assert made.roots == (tmp_path,)
    assert deck.call("folders").unwrap().structured["result"] == [tmp_path.as_uri()]
    changed = made.log.exchanges("roots/list_changed")
    assert bool(changed) == made.session.is_legacy
    with pytest.raises(DefinitionError, match="which roots names"):
        made.tell_roots(tmp_path / "none")
    made.tell_roots()
    assert deck.call("folders").unwrap().structured["result"] == []


def test_a_level_says_how_much_the_server_tells(deck):
    made, told = deck.mcp["offers"], []
    made.session.handlers.on_log = lambda line: told.append(line.level)
    if made.session.is_legacy:
        with pytest.raises(DefinitionError, match="keeps no log"):
            made.set_level("error")
        return
    deck.call("chatter").unwrap()
    assert told == ["info", "warning", "error"]
    told.clear()
    made.set_level("error")
    deck.call("chatter").unwrap()
    assert told == ["error"]
    made.set_level("debug")
    deck.call("chatter").unwrap()
    assert "debug" in told
    with pytest.raises(DefinitionError, match="level must be debug, info"):
        made.set_level("loud")


def test_work_behind_a_page_goes_on_when_the_person_agreed_and_the_page_is_done(deck):
    made, asked, done = deck.mcp["offers"], [], []
    if not made.session.is_legacy:
        pytest.skip("the newer protocol asks by other means")

    def answer(question):
        asked.append(question)
        return Answer("accept")

    made.session.handlers.on_elicit = answer
    made.session.handlers.on_page_done = done.append
    assert deck.call("behind_a_page").unwrap().text == "let in"
    assert [(one.mode, one.url) for one in asked] == [("url", "https://example.com/sign?in=1")]
    assert [(one.message, one.url) for one in done] == [("Sign in first", "https://example.com/sign?in=1")]
    made.session.handlers.on_elicit = lambda question: Answer("decline")


def test_a_page_that_the_person_declines_ends_the_call(raw):
    deck = Deck(policy="auto")
    made = deck.mcp.connect(SERVER, label="offers", mode="legacy")
    made.session.handlers.on_elicit = lambda question: Answer("decline")
    result = deck.call("behind_a_page")
    assert "did not agree to visit the page" in result.error
    assert [one.subject for one in made.log.exchanges()].count("behind_a_page") == 1
    deck.close()

"""The deck's own model: in runs, and for tools and servers that ask the deck for a reply."""

from __future__ import annotations

import asyncio

import pytest

from tooldeck import Deck, DefinitionError, Injected, Message, Run, SetupError, ToolContext, calling
from tooldeck.core.errors import Cancelled
from tooldeck.core.host import LimitPassed
from tooldeck.core.messages import ToolRequest, Usage
from tooldeck.loops import ModelReply, RunLimits, scripted
from tooldeck.testing import fake_deck


def complete(deck, text, **options):
    return deck.complete([Message("user", text)], **options)


def complete_awaited(deck, text, **options):
    return asyncio.run(deck.acomplete([Message("user", text)], **options))


@pytest.fixture(params=[complete, complete_awaited], ids=lambda way: way.__name__)
def ask(request):
    """``ask(deck, text)`` gives one reply, blocking or awaited."""
    return request.param


def echo(messages, tools):
    return f"{messages[-1].text}, {len(tools)} tools"


def test_a_run_that_names_no_model_asks_that_of_the_deck(deck, go):
    deck.model = scripted(["mine"])
    assert go(deck).text == "mine"
    assert go(deck, model=scripted(["another"])).text == "another"


def test_the_deck_gives_one_reply_and_makes_none_of_its_calls(ask):
    deck, _host = fake_deck(model=echo)
    deck.add(lambda: 1 / 0, name="broken", effects="none")
    assert ask(deck, "hello") == ModelReply("hello, 0 tools")
    assert ask(deck, "hello", tools=[deck["broken"]]).text == "hello, 1 tools"
    reply = ask(deck, "hello", model=scripted([("broken", {})]))
    assert reply.requests[0].name == "broken"
    assert deck.history() == []


def test_replies_for_tools_count_against_the_run_and_cost_that_nobody_tells_ends_it():
    deck, _host = fake_deck(policy="auto")

    def model(messages, tools):
        if tools:
            asked = (
                () if any(message.answers for message in messages) else (ToolRequest("1", "describe", "{}"),)
            )
            return ModelReply("done", asked, usage=Usage(5, 5, cost=0.1))
        return ModelReply("a cat")

    def describe(context: Injected[ToolContext]) -> str:
        """Say what it is."""
        return context.deck.complete([Message("user", "what?")]).text

    deck.add(describe, effects="model")
    deck.model = model
    done = deck.run("Describe it.")
    assert done.status == "done"
    assert done.inner.estimated
    assert done.usage.total == 20
    assert f"20 tokens and {done.inner.total} in calls" in repr(done)
    unknown = deck.run("Describe it.", limits=RunLimits(cost=5.0))
    assert unknown.status == "failed"
    assert "tells no cost" in unknown.reason
    assert deck.complete([Message("user", "what?")]).text == "a cat"  # outside of a run nothing is counted


def test_a_tool_asks_the_model_of_its_deck():
    deck, _host = fake_deck(model=scripted(["a cat"]), policy="auto")

    async def describe(context: Injected[ToolContext], what: str) -> str:
        """Say what it is."""
        return (await context.deck.acomplete([Message("user", what)])).text

    deck.add(describe, effects="model")
    assert asyncio.run(deck.acall("describe", what="?")).value == "a cat"


@pytest.mark.parametrize("way", ["run", "complete"])
def test_without_a_model_one_is_asked_for_in_one_sentence(way):
    with pytest.raises(SetupError, match=r"set deck\.model"):
        getattr(Deck(), way)("go" if way == "run" else [Message("user", "go")])


def test_what_is_no_model_is_refused_at_once():
    deck = Deck()
    for wrong in ("gpt-5", 7, dict):
        with pytest.raises(DefinitionError, match="model must be a function"):
            deck.model = wrong
    assert deck.model is None


def test_a_model_that_fails_or_is_late_says_so_to_whoever_asked(ask):
    deck = Deck(model=scripted([ValueError("no line")]))
    with pytest.raises(ValueError, match="no line"):
        ask(deck, "hello")

    async def silent(messages, tools):
        await asyncio.Event().wait()

    with pytest.raises(LimitPassed):
        ask(Deck(model=silent), "hello", seconds=0.05)


def test_a_run_that_is_stopped_takes_the_question_with_it(ask):
    run = Run()

    def stopping(messages, tools):
        run.stop("enough")
        return "too late"

    with calling(run=run), pytest.raises(Cancelled, match="enough"):
        ask(Deck(model=stopping), "hello")

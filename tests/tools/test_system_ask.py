"""A model asks the person: by a function of the program, at a terminal, or with nobody there."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from tooldeck import Deck, DefinitionError, Run, calling
from tooldeck.core.questions import Answer, Question
from tooldeck.core.vocabulary import Trust


def ask(run, deck, question="Which colour?", **options):
    return run(deck, "system", {"action": "ask", "question": question, **options})


def asking(answerer=None, **options):
    deck = Deck(answerer=answerer, **options)
    deck.add_builtins("system")
    return deck


def answers(*given):
    """An answerer that says these things one after the other, and the questions that it heard."""
    left, heard = list(given), []

    def answerer(question):
        heard.append(question)
        return left.pop(0)

    return answerer, heard


def test_the_answer_of_the_person_is_the_value_and_trusted(run):
    answerer, heard = answers(Answer("accept", {"answer": "green"}))
    result = ask(run, asking(answerer), choices=["red", "green"])
    assert result.value == {"answered": True, "answer": "green"}
    assert "untrusted" not in result.text
    (question,) = heard
    assert (question.kind, question.tool, question.message) == ("program", "system ask", "Which colour?")
    assert question.schema["properties"]["answer"]["enum"] == ["red", "green"]


async def later(question: Question) -> Answer:
    return Answer("accept", {"answer": "soon"})


@pytest.mark.parametrize(
    ("source", "label", "agent", "asker", "kind"),
    [
        ("cell", "", "", "a cell", "program"),
        ("form", "", "", "a form", "program"),
        ("python", "", "", "your code", "program"),
        ("python", "report.py", "", "report.py", "program"),
        ("model", "qwen3", "", "qwen3", "model"),
        ("model", "", "", "a model", "model"),
        ("model", "qwen3", "reviewer", "reviewer (qwen3)", "model"),
        ("mcp", "editor", "", "editor", "model"),
    ],
)
def test_the_question_says_who_asks(source, label, agent, asker, kind):
    answerer, heard = answers(Answer("accept", {"answer": "green"}))
    run = Run()
    run.agent = agent
    with calling(source, run=run, label=label):
        asking(answerer).call("system", action="ask", question="Which colour?").unwrap()
    assert [(question.asker, question.kind) for question in heard] == [(asker, kind)]


def test_an_answerer_may_be_async_or_leave_the_question_to_the_person(run):
    assert ask(run, asking(later)).value["answer"] == "soon"
    assert "nobody is there" in ask(run, asking(lambda question: None)).error


def test_where_nobody_is_there_the_call_fails_at_once_or_goes_on_with_the_default(run):
    deck = asking()
    refused = ask(run, deck)
    assert refused.status == "failed"
    assert "nobody is there to ask" in refused.error
    assert "`default`" in refused.error
    gone_on = ask(run, deck, default="red").value
    assert gone_on["answer"] == "red"
    assert not gone_on["answered"]
    assert "nobody is there to ask" in gone_on["why"]


@pytest.mark.parametrize(
    ("action", "why"), [("decline", "does not want to answer"), ("cancel", "put the question away")]
)
def test_a_person_who_does_not_answer_is_not_given_a_default(run, action, why):
    value = ask(run, asking(answers(Answer(action))[0]), default="red").value
    assert value["answer"] is None
    assert why in value["why"]


def test_a_question_that_is_late_goes_on_with_the_default(run):
    value = ask(run, asking(answers(Answer("late"))[0]), default="red", timeout=5).value
    assert value["answer"] == "red"
    assert "nobody answered in time" in value["why"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"choices": ["a", "a"]}, "are the same"),
        ({"choices": ["a", " "]}, "is empty"),
        ({"question": " \n"}, "question"),
        ({"choices": ["a", "b"], "default": "c"}, "'c' is none of the choices: a, b"),
    ],
)
def test_choices_that_cannot_be_meant_are_refused_unasked(run, options, why):
    answerer, heard = answers()
    assert why in ask(run, asking(answerer), **options).error
    assert heard == []


def test_the_time_that_a_person_takes_counts_against_no_limit():
    opened, gate = threading.Event(), threading.Event()

    def thoughtful(question):
        opened.set()
        gate.wait(20)
        return Answer("accept", {"answer": "well"})

    deck = asking(thoughtful)

    @deck.tool(effects="read", timeout=0.2)
    def outer() -> str:
        threading.Thread(target=lambda: (opened.wait(20), passed.wait(0.4), gate.set())).start()
        return deck.call("system", action="ask", question="How?").unwrap()["answer"]

    passed = threading.Event()  # never set: waiting for it is letting the limit pass
    assert deck.call("outer").value == "well"


def test_an_answerer_that_gives_no_answer_is_named(run):
    result = ask(run, asking(lambda question: "green"))
    assert result.status == "failed"
    assert isinstance(result.exception, DefinitionError)
    assert "'green'" in result.error


def test_asking_needs_no_approval_and_the_other_actions_stay_untrusted():
    deck = asking()
    assert deck.policy.static(deck["system"].actions["ask"]).word == "allow"
    assert deck["system"].actions["ask"].trust is Trust.TRUSTED
    assert deck["system"].actions["tool_search"].trust is Trust.UNTRUSTED


@pytest.fixture
def terminal(monkeypatch):
    """Standard input that is a terminal; gives the function that types."""
    leader, follower = os.openpty()
    stream = os.fdopen(follower, "r")
    monkeypatch.setattr(sys, "stdin", stream)
    yield lambda text: os.write(leader, text.encode())
    stream.close()
    os.close(leader)


@pytest.mark.parametrize(
    ("typed", "options", "answer"),
    [
        ("teal\n", {}, "teal"),
        ("2\n", {"choices": ["red", "green"]}, "green"),
        ("blue\ngreen\n", {"choices": ["red", "green"]}, "green"),
        ("\n", {"default": "red"}, "red"),
        ("\n", {}, None),
    ],
    ids=["words", "number", "again", "default", "nothing"],
)
def test_on_a_terminal_the_question_is_a_prompt(run, terminal, capsys, typed, options, answer):
    terminal(typed)
    value = ask(run, asking(), "Which\r\ncolour?\u202e", **options).value
    assert value["answer"] == answer
    assert "Which\\r\\ncolour?\\u202e" in capsys.readouterr().out


def test_on_a_terminal_nobody_types_for_ever(run, terminal, capsys):
    assert "nobody answered in time" in ask(run, asking(), timeout=0.2).error

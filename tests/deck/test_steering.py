"""A person's word to a run that is under way."""

from __future__ import annotations

import pytest

from tooldeck import DefinitionError, Run, calling
from tooldeck.core.caller import current_caller
from tooldeck.testing import fake_deck


def make():
    deck, _host = fake_deck(policy="auto")
    runs = []

    def f(x: int):
        runs.append(x)
        return x

    deck.add(f)
    return deck, runs


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


def test_a_message_ends_the_next_call_of_the_run_once_and_the_model_reads_it(run):
    deck, bodies = make()
    current, other = Run(), Run()
    current.steer("Use the staging server.")
    current.steer("And be quick.")
    with calling(run=other):
        assert run(deck, "f", x=0).ok
    with calling(run=current):
        result = run(deck, "f", x=1)
        assert (result.status, result.value) == ("cancelled", None)
        assert "a person says: Use the staging server.\nAnd be quick." in result.text
        assert run(deck, "f", x=2).ok
    assert bodies == [0, 2]
    assert current.stopped is None


def test_a_message_is_heard_by_a_call_of_a_tool_that_does_not_exist(run):
    deck, _ = make()
    current = Run()
    current.steer("stop searching")
    with calling(run=current):
        assert "stop searching" in run(deck, "g").text
        assert run(deck, "g").status == "unknown"
        current.stop("enough")
        assert run(deck, "g").status == "cancelled"


def test_a_message_needs_words():
    for nothing in ("", "  ", None, 3):
        with pytest.raises(ValueError, match="needs words"):
            Run().steer(nothing)


def test_another_cell_finds_the_runs_that_are_under_way(run):
    deck, _ = make()
    one, two, unused = Run("chat"), Run(), Run()
    with calling(run=one), calling(run=unused):
        with calling(run=two):
            assert deck.runs == []
            run(deck, "f", x=1)
            with calling(run=one):
                run(deck, "f", x=1)
            assert deck.runs == [two, one]
            two.stop()
            assert deck.runs == [one]
        assert "chat" in repr(deck.runs[0])
    assert deck.runs == []


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

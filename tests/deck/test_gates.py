"""Tools that are not there: not allowed by the environment, switched off, not available right now."""

from __future__ import annotations

import pytest

from tooldeck import Deck, DefinitionError
from tooldeck.core.gates import ALLOWED_TOOLS
from tooldeck.testing import fake_deck


def names(deck):
    return [record["name"] for record in deck.export("mcp")]


@pytest.fixture
def filled(auto):
    """A deck with tools of several effects, and its host."""
    deck, host = auto
    for name, effects in [("git_log", "read"), ("git_push", "repository,network"), ("odd", None)]:
        deck.add(lambda: "ran", name=name, effects=effects)
    return deck, host


# --- the allow list


def allowing(monkeypatch, text):
    monkeypatch.setenv(ALLOWED_TOOLS, text)
    monkeypatch.delenv("CI", raising=False)
    deck, _ = fake_deck(policy="auto")
    for name in ("a", "b", "git_log"):
        deck.add(lambda: "ran", name=name, effects="none")
    return deck


def test_without_the_variable_all_tools_are_allowed(monkeypatch, run):
    monkeypatch.delenv(ALLOWED_TOOLS, raising=False)
    deck, _ = fake_deck(policy="auto")
    deck.add(lambda: 1, name="a", effects="none")
    assert names(deck) == ["a"]
    assert run(deck, "a").ok


def test_only_listed_tools_are_shown_and_only_they_run(monkeypatch, run):
    deck = allowing(monkeypatch, " a , git_*,")
    assert names(deck) == ["a", "git_log"]
    assert [run(deck, name).status for name in ("a", "b", "git_log")] == ["ok", "denied", "ok"]
    assert run(deck, "b").error == f"b cannot be used: it is not in {ALLOWED_TOOLS}."
    assert "b" in deck


def test_a_tool_that_is_given_as_a_function_or_object_is_held_to_the_list_too(monkeypatch, run):
    deck = allowing(monkeypatch, "a")

    def loose() -> str:
        return "ran"

    assert run(deck, loose).status == "denied"
    assert run(deck, deck["b"]).status == "denied"
    assert run.many(deck, [("b", {}), ("a", {})])[0].status == "denied"


@pytest.mark.parametrize("empty", ["", "  ", ",", " , ,"])
def test_a_list_that_names_no_tool_is_refused(monkeypatch, empty):
    monkeypatch.setenv(ALLOWED_TOOLS, empty)
    with pytest.raises(DefinitionError, match="names no tool"):
        Deck()


def test_a_name_that_no_tool_has_is_a_warning(monkeypatch):
    deck = allowing(monkeypatch, "a,git_lgo")
    with pytest.warns(UserWarning, match="names 'git_lgo', but .* did you mean 'git_log'"):
        assert names(deck) == ["a"]


@pytest.mark.parametrize("word", ["true", "1", "YES"])
def test_a_name_that_no_tool_has_is_an_error_on_a_build_server(monkeypatch, word):
    deck = allowing(monkeypatch, "a,nope")
    monkeypatch.setenv("CI", word)
    with pytest.raises(DefinitionError, match="'nope'"):
        deck.export("openai")


# --- switches


def test_a_tool_that_is_switched_off_is_hidden_and_does_not_run(filled, run):
    deck, _ = filled
    assert run(deck, "git_log").ok
    deck.disable("git_log")
    assert names(deck) == ["git_push", "odd"]
    assert run(deck, "git_log").error == "git_log cannot be used: it is switched off."
    assert deck.why_not("git_log") == "it is switched off"
    deck.enable("git_log")
    assert names(deck) == ["git_log", "git_push", "odd"]
    assert run(deck, "git_log").ok


def test_the_last_word_about_a_name_counts(filled):
    deck, _ = filled
    deck.disable("git_*")
    deck.enable("git_log")
    assert names(deck) == ["git_log", "odd"]
    deck.disable("*")
    assert names(deck) == []
    deck.enable("*")
    assert len(names(deck)) == 3


def test_an_effect_is_switched_off_for_every_tool_that_has_it_or_may_have_it(filled, run):
    deck, _ = filled
    deck.disable(effects="network")
    assert names(deck) == ["git_log"]
    assert "network is switched off" in run(deck, "git_push").error
    assert "its effects are undeclared" in run(deck, "odd").error
    deck.enable("odd")
    assert names(deck) == ["git_log", "odd"]
    deck.enable(effects="network")
    assert len(names(deck)) == 3


def test_a_switch_holds_for_tools_that_come_later(auto, run):
    deck, _ = auto
    deck.disable("web__*")
    deck.add(lambda: 1, name="web__search", effects="read")
    assert run(deck, "web__search").status == "denied"


def test_a_switch_that_cannot_be_meant_is_refused(filled):
    deck, _ = filled
    with pytest.raises(DefinitionError, match="did you mean 'git_log'"):
        deck.disable("git_lgo")
    for wrong in ((), (3,), ("",)):
        with pytest.raises(DefinitionError):
            deck.disable(*wrong)
    for effects in ("none", "netwrok"):
        with pytest.raises(DefinitionError):
            deck.disable(effects=effects)
    with pytest.raises(DefinitionError, match="not both"):
        deck.enable("odd", effects="read")


# --- availability


def test_a_tool_that_is_not_available_is_hidden_and_says_why(auto, run):
    deck, _ = auto
    deck.add(lambda: 1, name="search", effects="read", available=lambda: "no key is set")
    assert names(deck) == []
    result = run(deck, "search")
    assert (result.status, result.attempts) == ("denied", 0)
    assert result.error == "search cannot be used: it is not available: no key is set."


def test_the_answer_of_a_check_holds_for_thirty_seconds(auto, run):
    deck, host = auto
    state, asked = {"up": True}, []

    def up() -> bool:
        asked.append(1)
        return state["up"]

    deck.add(lambda: 1, name="search", effects="read", available=up)
    assert [run(deck, "search").status for _ in range(3)] == ["ok"] * 3
    assert names(deck) == ["search"]
    assert len(asked) == 1
    state["up"] = False
    host.clock.advance(29)
    assert run(deck, "search").ok
    host.clock.advance(1)
    assert run(deck, "search").status == "denied"
    state["up"] = True
    host.clock.advance(30)
    assert run(deck, "search").ok


def boom():
    raise OSError("no network")


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (lambda: False, "it is not available"),
        (lambda: (False, "no key"), "it is not available: no key"),
        (boom, "it is not available: its check raised OSError: no network"),
        (lambda: None, "its check answered None"),
        (lambda: 1, "its check answered 1"),
        (lambda: "", "its check answered ''"),
    ],
    ids=["false", "pair", "raises", "none", "one", "empty"],
)
def test_a_check_opens_its_tool_by_true_and_by_nothing_else(auto, run, check, reason):
    deck, _ = auto
    deck.add(lambda: 1, name="search", effects="read", available=check)
    assert names(deck) == []
    assert reason in run(deck, "search").error
    deck.add(lambda: 1, name="other", effects="read", available=lambda: (True, "fine"))
    assert run(deck, "other").ok


def test_a_replaced_tool_is_asked_anew(auto, run):
    deck, _ = auto
    deck.add(lambda: 1, name="search", effects="read", available=lambda: False)
    assert run(deck, "search").status == "denied"
    deck.add(lambda: 1, name="search", effects="read", available=lambda: True)
    assert run(deck, "search").ok


def test_nobody_is_asked_to_approve_a_tool_that_is_not_there(run):
    deck, host = fake_deck([True])
    deck.add(lambda: 1, name="push", effects="write", available=lambda: False)
    assert run(deck, "push").status == "denied"
    assert host.requests == []

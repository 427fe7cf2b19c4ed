"""A model finds tools by what they do, and learns what they take."""

from __future__ import annotations

import pytest

from tooldeck import Deck


@pytest.fixture
def deck():
    deck = Deck(policy="auto")
    deck.add_builtins("system", "memory", "web")

    @deck.tool(effects="read")
    def weather(city: str, days: int = 1) -> str:
        """Tell how the weather will be, 天気予報.

        Args:
            city: Where.
            days: How many days ahead.
        """
        return city

    return deck


def found(deck, query, **options):
    tools = deck.call("system", action="tool_search", query=query, **options).unwrap()["tools"]
    return [one["name"] for one in tools]


def schema(deck, tool, **options):
    return deck.call("system", action="tool_schema", tool=tool, **options)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("weather", "weather"),
        ("how many DAYS ahead?", "weather"),
        ("予報", "weather"),
        ("read pages of the web", "web"),
        ("notes by key", "memory"),
        ("recall", "memory"),
    ],
)
def test_a_tool_is_found_by_what_it_does(deck, query, name):
    assert found(deck, query)[0] == name


def test_words_that_no_tool_has_find_nothing_and_a_limit_holds(deck):
    assert found(deck, "xyzzy") == found(deck, "?!") == []
    assert len(found(deck, "the a of", limit=2)) <= 2


def test_a_tool_tells_what_it_takes(deck):
    told = schema(deck, "weather").unwrap()
    assert told["parameters"] == deck["weather"].parameters
    assert "examples" not in told
    assert schema(deck, "memory").unwrap()["examples"][0]["action"]


def test_one_action_tells_what_it_alone_takes(deck):
    told = schema(deck, "memory", for_action="delete").unwrap()
    assert set(told["parameters"]["properties"]) == {"action", "key", "namespace"}
    assert told["examples"] == [{"action": "delete", "key": "favourite editor"}]
    assert "it has store, recall" in schema(deck, "memory", for_action="forget").error
    assert "it has none" in schema(deck, "weather", for_action="x").error


def test_an_unknown_tool_brings_the_nearest(deck):
    assert "did you mean 'weather'?" in schema(deck, "wether").error
    assert "tool_search" in schema(deck, "qqq").error


def test_what_may_not_be_used_is_not_told_of(deck):
    deck.policy.deny("weather")
    assert "weather" not in found(deck, "weather")
    assert schema(deck, "weather").status == "failed"


def test_descriptions_are_outside_text(deck):
    assert schema(deck, "weather").text.startswith("«outside")

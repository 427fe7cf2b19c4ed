"""A schema that is made when it is shown."""

from __future__ import annotations

import pytest

from tooldeck import Deck, DefinitionError

CITIES = {"Ulm": 1}


def narrowed(schema):
    schema["properties"]["city"]["enum"] = list(CITIES)
    return schema


def made(**options):
    deck = Deck(policy="auto")

    @deck.tool(effects="none", **options)
    def weather(city: str) -> str:
        return f"sun in {city}"

    return deck


@pytest.mark.parametrize(
    ("dialect", "path"),
    [
        ("openai", ("function", "parameters")),
        ("anthropic", ("input_schema",)),
        ("gemini", ("parametersJsonSchema",)),
        ("mcp", ("inputSchema",)),
    ],
)
def test_every_export_shows_what_the_override_makes_at_that_moment(monkeypatch, dialect, path):
    deck = made(schema_override=narrowed)

    def shown():
        found = deck.export(dialect)[0]
        for key in path:
            found = found[key]
        return found["properties"]["city"]["enum"]

    assert shown() == ["Ulm"]
    monkeypatch.setitem(CITIES, "Köln", 1)
    assert shown() == ["Ulm", "Köln"]


def test_the_tool_keeps_its_own_schema_and_check():
    deck = made(schema_override=narrowed)
    deck.export("mcp")
    assert "enum" not in deck["weather"].parameters["properties"]["city"]
    assert deck.call("weather", city="Rome").value == "sun in Rome"


def fails(schema):
    raise KeyError("no")


@pytest.mark.parametrize(
    "override",
    [fails, lambda _: None, lambda _: {"type": "string"}, lambda _: {"type": "object", "x": object()}],
    ids=["raises", "nothing", "no object", "no JSON"],
)
def test_an_override_that_fails_keeps_the_schema_and_says_so(caplog, override):
    deck = made(schema_override=override)
    assert deck.export("mcp")[0]["inputSchema"] == deck["weather"].parameters
    assert "The schema_override of weather failed" in caplog.records[0].message


def test_an_override_must_be_a_function():
    with pytest.raises(DefinitionError, match="schema_override must be a function"):
        made(schema_override={"type": "object"})

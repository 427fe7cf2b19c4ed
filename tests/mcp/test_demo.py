"""The demo server has one of everything, so that every line of ``%mcp`` can be tried with it."""

from __future__ import annotations

import json

import pytest

from tooldeck import Deck
from tooldeck.mcp.errors import McpError


@pytest.fixture(scope="module")
def demo():
    deck = Deck()
    yield deck.mcp.connect("demo")
    deck.close()


def test_the_prompt_of_the_demo_has_suggestions_for_its_gaps(demo):
    prompt = demo.prompts["describe_city"]
    assert list(prompt.complete("name", "o")) == ["Oslo"]
    assert list(prompt.complete("style")) == ["short", "cheerful", "dry"]
    assert "Describe Oslo in a dry paragraph" in prompt(name="Oslo", style="dry").text
    assert "Nothing is known of it here." in prompt(name="Rome").text


def test_the_resources_of_the_demo_are_a_table_and_a_record_for_each_city(demo):
    assert [row["name"] for row in demo.resources.read("demo://cities").rows] == ["Lisbon", "Nairobi", "Oslo"]
    template = demo.resources.templates["city_by_name"]
    assert list(template.complete("name", "l")) == ["Lisbon"]
    assert json.loads(template(name="oslo").text)["country"] == "Norway"
    with pytest.raises(McpError, match="no city 'Rome' here; there are Lisbon, Nairobi, Oslo"):
        template(name="Rome")


def test_nothing_in_the_words_of_the_demo_is_suspicious(demo):
    offered = [*demo.prompts.values(), *demo.resources.values(), *demo.resources.templates.values()]
    assert [*demo.findings, *(one for thing in offered for one in thing.findings)] == []

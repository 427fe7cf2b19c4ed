"""Exact counts of tokens, where their package is installed."""

from __future__ import annotations

import sys

import pytest

from tooldeck import Deck, DefinitionError, Message, SetupError
from tooldeck.core.exact import exact_tokens
from tooldeck.core.tokens import tool_tokens


def test_texts_tools_and_messages_are_counted_by_a_vocabulary():
    pytest.importorskip("toktok")
    deck = Deck()

    @deck.tool(effects="read")
    def weather(city: str, days: int = 1) -> str:
        """Tell how the weather of a city will be in the coming days."""
        return city

    assert exact_tokens("hello world") == 2
    assert exact_tokens("hello world", "cl100k_base") == 2
    assert exact_tokens([Message("user", "hello world"), "hello world"]) == 4
    assert exact_tokens("\ud800") > 0
    one = exact_tokens(deck["weather"])
    assert exact_tokens(deck.tools.values()) == one
    assert abs(tool_tokens(deck["weather"]) - one) <= 0.35 * one
    for wrong in (7, [7]):
        with pytest.raises(DefinitionError, match="not of 7"):
            exact_tokens(wrong)
    with pytest.raises(DefinitionError, match="no vocabulary 'x'"):
        exact_tokens("a", "x")


def test_without_the_package_the_way_to_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "toktok", None)
    with pytest.raises(SetupError, match=r"pip install 'tooldeck\[tokens\]'"):
        exact_tokens("a")

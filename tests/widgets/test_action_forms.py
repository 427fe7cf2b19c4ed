"""The form of a tool with actions: the fields of the chosen action and no others."""

from __future__ import annotations

from tooldeck import ActionTool, Deck
from tooldeck.notebook.widgets.card import ToolCard


def card():
    made = ActionTool("shop", "The shop.")
    made.action(lambda item, currency="EUR": 1.0, name="price", effects="none")
    made.action(lambda count: count, name="buy", effects="none")
    deck = Deck(policy="auto")
    return ToolCard(deck.add(made), run=None)


def test_the_form_has_a_chooser_and_the_fields_of_the_chosen_action():
    form = card().form
    form.set_value({"action": "buy", "count": 2})
    assert form.value == {"action": "buy", "count": 2}
    assert form.check() == []
    form.set_value({"action": "price", "item": "tea"})
    assert form.value == {"action": "price", "item": "tea"}
    assert form.check() == []

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


def words(widget):
    """The names beside what can be filled in, from top to bottom."""
    own = [widget.description] if getattr(widget, "description", "") else []
    return [*own, *(word for inner in getattr(widget, "children", ()) for word in words(inner))]


def test_the_choice_of_the_action_is_shown_once_and_by_its_name():
    form = card().form
    form.set_value({"action": "buy", "count": 2})
    named = [word for word in words(form.widget) if word]
    assert named.count("action") == 1
    assert not any("alternative" in word or word == "action *" for word in named)
    assert "count *" in named

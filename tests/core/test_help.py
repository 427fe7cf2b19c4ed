"""What ``tool?`` shows."""

from __future__ import annotations

from tooldeck import Deck
from tooldeck.core.help import help_text


def test_the_help_of_a_tool_has_a_line_for_each_parameter_that_there_is_something_to_say_of():
    schema = {
        "properties": {
            "city": {"type": "string", "description": "where\n  to fly"},
            "seats": {"type": "integer"},
            "user-id": {"type": "string"},
        }
    }
    assert help_text("Book a seat.", schema) == (
        "Book a seat.\n\nParameters:\n    city: where to fly\n    user_id: (sent as 'user-id')"
    )
    assert help_text("Book a seat.", {"properties": {"a": True}}) == "Book a seat."
    assert help_text("Book a seat.", {}) == "Book a seat."


def test_a_function_s_own_words_come_back_in_its_help():
    deck = Deck()

    def book(city: str) -> str:
        """Book a seat.

        Args:
            city: where to fly
        """
        return city

    assert deck.add(book, effects="none").getdoc() == "Book a seat.\n\nParameters:\n    city: where to fly"

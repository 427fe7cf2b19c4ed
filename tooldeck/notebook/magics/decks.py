"""``%deck``: the whole deck at a glance."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import line_magic, magics_class, no_var_expand

from tooldeck.notebook.lines import choose, read_line
from tooldeck.notebook.listing import CallLogTable, DeckView
from tooldeck.notebook.magics.base import DeckMagicsBase, in_one_sentence

__all__ = ["DeckMagics"]


@magics_class
class DeckMagics(DeckMagicsBase):
    """Magics for the deck."""

    @no_var_expand
    @line_magic("deck")
    @in_one_sentence
    def deck_line(self, line: str) -> Any:
        """Show the deck: ``%deck`` its tools, servers, policy and breakers; ``%deck log`` the last calls."""
        words = read_line("%deck", line).words
        if words and choose("%deck", words[0], ["log"]) == "log":
            return CallLogTable(tuple(self.deck.history()))
        return DeckView(self.deck)

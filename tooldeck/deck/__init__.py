"""The deck: holds tools and runs every call through one pipeline. Each part of it is a module here."""

from tooldeck.deck.deck import Deck

__all__ = ["Deck"]

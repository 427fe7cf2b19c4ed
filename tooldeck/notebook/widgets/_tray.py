"""Where questions about calls go that no cell has made: a tray within the card that they belong to."""

from __future__ import annotations

from typing import Any

import ipywidgets

__all__ = ["Tray"]

_MOST = 4
"""Cards of answered questions that stay."""


class Tray(ipywidgets.VBox):
    """Cards below each other; open ones stay, answered ones make room in time."""

    def put(self, card: Any) -> None:
        """Put a question into it."""
        cards = [*self.children, card]
        over = [one for one in cards if getattr(one, "phase", "") != "waiting"]
        gone = set(map(id, over[: max(0, len(over) - _MOST)]))
        self.children = tuple(one for one in cards if id(one) not in gone)

"""One sentence to the person at the cell: the only place where the notebook prints."""

from __future__ import annotations

from tooldeck.guards.text import visible

__all__ = ["THIN", "say"]

THIN = "\u2009"
"""The space between the thousands of a number."""


def say(sentence: object, end: str = "\n") -> None:
    """Print a sentence below the cell, with nothing hidden in it; the thin spaces of large numbers stay."""
    shown = THIN.join(map(visible, str(sentence).split(THIN)))
    print(shown, end=end)  # noqa: T201 - the purpose

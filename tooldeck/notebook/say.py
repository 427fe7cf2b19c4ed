"""One sentence to the person at the cell: the only place where the notebook prints."""

from __future__ import annotations

from tooldeck.guards.text import visible

__all__ = ["say"]


def say(sentence: object, end: str = "\n") -> None:
    """Print a sentence below the cell, with nothing hidden in it."""
    print(visible(str(sentence)), end=end)  # noqa: T201 - the purpose

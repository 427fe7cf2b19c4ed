"""The two ways of running a model, so that a test can state a behaviour once and have it checked for both."""

from __future__ import annotations

import asyncio
from typing import Any

from tooldeck import Deck, RunResult

__all__ = ["awaited", "blocking"]


def blocking(deck: Deck, prompt: Any = "go", **options: Any) -> RunResult:
    """``deck.run``."""
    return deck.run(prompt, **options)


def awaited(deck: Deck, prompt: Any = "go", **options: Any) -> RunResult:
    """``await deck.arun``, in a loop of its own."""
    return asyncio.run(deck.arun(prompt, **options))

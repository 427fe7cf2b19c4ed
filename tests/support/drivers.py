"""The two ways of calling a deck, so that a test can state a behaviour once and have it checked for both."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from tooldeck import Deck, ToolResult

__all__ = ["DRIVERS", "Awaited", "Blocking"]


class Blocking:
    """``deck.call``."""

    def __call__(self, deck: Deck, target: Any, /, *args: Any, **kwargs: Any) -> ToolResult:
        return deck.call(target, *args, **kwargs)

    def each(self, deck: Deck, target: Any, argument_sets: Iterable[dict[str, Any]]) -> list[ToolResult]:
        """One call after the other."""
        return [self(deck, target, arguments) for arguments in argument_sets]

    def many(self, deck: Deck, calls: Iterable[Any], **options: Any) -> list[ToolResult]:
        """A batch."""
        return deck.call_many(calls, **options)


class Awaited:
    """``await deck.acall``, each in a loop of its own."""

    def __call__(self, deck: Deck, target: Any, /, *args: Any, **kwargs: Any) -> ToolResult:
        return asyncio.run(self._one(deck, target, args, kwargs))

    async def _one(
        self, deck: Deck, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> ToolResult:
        return await deck.acall(target, *args, **kwargs)

    def each(self, deck: Deck, target: Any, argument_sets: Iterable[dict[str, Any]]) -> list[ToolResult]:
        """One call after the other, in one loop."""

        async def all_of_them() -> list[ToolResult]:
            return [await deck.acall(target, arguments) for arguments in argument_sets]

        return asyncio.run(all_of_them())

    def many(self, deck: Deck, calls: Iterable[Any], **options: Any) -> list[ToolResult]:
        """A batch."""
        return asyncio.run(deck.acall_many(calls, **options))


DRIVERS = {"blocking": Blocking(), "awaited": Awaited()}

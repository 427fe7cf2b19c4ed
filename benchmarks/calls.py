"""A validated call with every stage on and nothing firing, against pydantic's ``validate_call``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from pydantic import validate_call

from benchmarks.measure import Figure, in_turns, in_turns_async
from tooldeck import Deck

CALLS = 200
MICRO = 1e6


def book(city: str, seats: int = 1, price: float = 9.5) -> str:
    """Book seats.

    Args:
        city: where to
        seats: how many
        price: of one seat
    """
    return city


async def abook(city: str, seats: int = 1, price: float = 9.5) -> str:
    """Book seats, awaited."""
    return city


def figures() -> Iterator[Figure]:
    """Blocking and awaited; from keywords and from a mapping as a model's call comes."""
    deck = Deck()
    deck.add(book, effects="none")
    deck.add(abook, effects="none")
    checked, achecked = validate_call(book), validate_call(abook)
    arguments = {"city": "Rome", "seats": 2, "price": 3.5}
    assert deck.call("book", arguments).unwrap() == checked(**arguments) == "Rome"

    ours, theirs = in_turns(lambda: deck.call("book", arguments), lambda: checked(**arguments), calls=CALLS)
    yield Figure("call, against validate_call", ours * MICRO, theirs * MICRO, "us", "8, later 3")

    tool = deck["book"]
    ours, theirs = in_turns(lambda: tool(**arguments), lambda: checked(**arguments), calls=CALLS)
    yield Figure("tool(...) itself, against validate_call", ours * MICRO, theirs * MICRO, "us")

    ours, theirs = asyncio.run(
        in_turns_async(lambda: deck.acall("abook", arguments), lambda: achecked(**arguments), calls=CALLS)
    )
    yield Figure("awaited call, against validate_call", ours * MICRO, theirs * MICRO, "us", "8, later 3")

    watched = Deck(trace=True)
    watched.add(book, effects="none")
    watched.subscribe(lambda _event: None)
    ours, theirs = in_turns(
        lambda: watched.call("book", arguments), lambda: deck.call("book", arguments), calls=CALLS
    )
    yield Figure("traced and observed call, against a quiet one", ours * MICRO, theirs * MICRO, "us")

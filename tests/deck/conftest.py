"""Every behaviour of the deck is tested through blocking and through awaited calls."""

from __future__ import annotations

import pytest
from drivers import DRIVERS

from tooldeck.testing import fake_deck


@pytest.fixture(params=list(DRIVERS))
def run(request):
    """``run(deck, target, ...)`` calls a tool one way or the other and gives the result."""
    return DRIVERS[request.param]


@pytest.fixture
def auto():
    """A deck on a fake host that never asks, and that host."""
    return fake_deck(policy="auto")


@pytest.fixture
def events():
    """Subscribe to a deck: ``events(deck)`` gives the list that fills."""

    def subscribed(deck):
        seen = []
        deck.subscribe(seen.append)
        return seen

    return subscribed

"""Every behaviour of a run is tested through blocking and through awaited runs."""

from __future__ import annotations

import pytest
from loop_drivers import awaited, blocking

from tooldeck.testing import fake_deck


@pytest.fixture(params=[blocking, awaited], ids=lambda way: way.__name__)
def go(request):
    """``go(deck, prompt, model=…)`` runs a model one way or the other and gives the `RunResult`."""
    return request.param


@pytest.fixture
def deck():
    """A deck on a fake host that asks nobody, with a few tools."""
    made, _host = fake_deck(policy="auto")
    made.add(lambda a, b=0: a + b, name="add", effects="none")
    made.add(lambda q: [f"about {q}"], name="search_web", effects="read")
    made.add(_fail, name="fail", effects="write")
    return made


def _fail(why: str = "broken"):
    raise ValueError(why)

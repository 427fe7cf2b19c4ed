"""Every behaviour of the policy is tested through blocking and through awaited calls."""

from __future__ import annotations

import pytest
from drivers import DRIVERS


@pytest.fixture(params=list(DRIVERS))
def run(request):
    """``run(deck, target, ...)`` calls a tool one way or the other and gives the result."""
    return DRIVERS[request.param]

"""A deck in a workspace of its own, called by both drivers."""

from __future__ import annotations

import pytest
from drivers import DRIVERS

from tooldeck import Deck


@pytest.fixture(params=list(DRIVERS))
def run(request):
    """``run(deck, target, ...)`` calls a tool one way or the other and gives the result."""
    return DRIVERS[request.param]


@pytest.fixture
def root(tmp_path):
    """The folder of the workspace; there is another one beside it."""
    folder = tmp_path / "root"
    folder.mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret.txt").write_text("secret\n")
    return folder


@pytest.fixture
def deck(root):
    """A deck with all built-in tools that never asks."""
    made = Deck(policy="auto", workspace=root)
    made.add_builtins()
    yield made
    made.close()


@pytest.fixture
def do(deck):
    """``do("file", "read", path=…)`` is a call of an action that has to succeed, and gives its value."""

    def call(tool, action=None, /, **arguments):
        chosen = {} if action is None else {"action": action}
        result = deck.call(tool, {**chosen, **arguments})
        assert result.ok, result.error
        return result.value

    return call


@pytest.fixture
def refused(deck):
    """``refused("file", "read", path=…)`` is a call of an action that has to fail, and gives its words."""

    def call(tool, action=None, /, **arguments):
        chosen = {} if action is None else {"action": action}
        result = deck.call(tool, {**chosen, **arguments})
        assert result.status == "failed", result
        return result.error

    return call

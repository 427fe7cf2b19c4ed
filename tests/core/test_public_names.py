"""What the package offers, and what it does not load."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import tooldeck
from tooldeck.core.errors import CallError, DefinitionError, TooldeckError

HEAVY = ["IPython", "ipywidgets", "mcp", "httpx", "sqlite3", "anywidget", "jsonschema", "traitlets", "zmq"]
OURS = [
    name
    for _, name, _ in pkgutil.walk_packages(tooldeck.__path__, "tooldeck.")
    if name.startswith(
        ("tooldeck.core", "tooldeck.deck", "tooldeck.policy", "tooldeck.guards", "tooldeck.testing")
    )
]


def loaded_after(code):
    """The heavy packages that a fresh interpreter has loaded after running `code`."""
    probe = f"import sys\n{code}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    "code",
    [
        "import tooldeck",
        "from tooldeck import *",
        "from tooldeck import Deck; Deck()",
        """
from tooldeck import Deck
deck = Deck(policy="auto")

@deck.tool(effects="read", timeout=5)
def twice(x: int) -> int:
    return 2 * x

@deck.tool(breaker=1)
async def fail(x: int): raise ConnectionError

assert deck.call("twice", '{"x": 2}').value == 4
assert deck.call("fail", x=1).status == "failed"
assert deck.call("fail", x=1).status == "tripped"
deck.export("openai"), deck.history(), deck.subscribe(print), repr(deck["twice"])
""",
    ],
    ids=["import", "star", "deck", "calls"],
)
def test_a_plain_deck_loads_no_notebook_no_network_no_database(code):
    assert loaded_after(code) == []


def test_importing_the_package_does_not_load_pydantic():
    done = subprocess.run(
        [sys.executable, "-c", "import sys, tooldeck; print('pydantic' in sys.modules)"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "False"


def test_every_public_name_exists_and_is_listed_once_in_order():
    names = tooldeck.__all__
    assert names == sorted(set(names))
    for name in names:
        assert getattr(tooldeck, name).__name__ == name
    assert set(names) <= set(dir(tooldeck))


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Deckk'"):
        tooldeck.Deckk  # noqa: B018


@pytest.mark.parametrize("module", OURS)
def test_every_module_lists_what_it_has(module):
    found = importlib.import_module(module)
    names = getattr(found, "__all__", [])
    assert len(names) == len(set(names))
    for name in names:
        assert hasattr(found, name)


def test_every_error_of_ours_has_one_root():
    from tooldeck.core import errors

    for name in errors.__all__:
        assert issubclass(getattr(errors, name), TooldeckError)
    assert issubclass(DefinitionError, ValueError)
    assert issubclass(errors.InvalidArguments, CallError)
    assert issubclass(errors.CallTimeout, TimeoutError)
    assert issubclass(errors.UnknownTool, LookupError)
    assert issubclass(errors.CallDenied, PermissionError)


def test_the_tree_of_errors_in_the_docstring_names_them_all():
    from tooldeck.core import errors

    assert all(name in errors.__doc__ for name in errors.__all__)

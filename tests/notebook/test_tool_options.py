"""Options of a %%tool line that name parameters or functions."""

from __future__ import annotations

import pytest
from ipython_shell import Shell

from tooldeck.core.options import OPTION_NAMES
from tooldeck.notebook.completion import complete
from tooldeck.notebook.magics.tools import _FLAGS, _VALUED

CELL = """
def ready():
    return "no key is set"

def small(arguments):
    return arguments["n"] < 10

def even(value):
    return value % 2 == 0

def titled(schema):
    return {**schema, "title": "T"}

def number(n: int) -> int:
    return n
"""


def made(shell: Shell, options: str) -> None:
    shell.run(f"%%tool --effects none {options}{CELL}")
    shell.run("deck.policy = 'auto'")


def test_functions_named_on_the_line_are_options_and_no_tools(shell: Shell) -> None:
    shell.run("def positive(arguments): return arguments['n'] > 0")
    made(shell, "--check-input small,positive --check-output even --schema-override titled")
    assert "number" in shell.deck
    assert {"small", "even", "titled"}.isdisjoint(shell.deck.tools)
    statuses = [str(shell.deck.call("number", n=n).status) for n in (2, 3, 12, -2)]
    assert statuses == ["ok", "blocked", "blocked", "blocked"]
    assert shell.deck.export("mcp")[-1]["inputSchema"]["title"] == "T"


def test_a_tool_whose_check_says_no_is_hidden_with_the_reason(shell: Shell) -> None:
    made(shell, "--available ready")
    assert "no key is set" in shell.deck.call("number", n=1).error
    assert "number" not in [record["name"] for record in shell.deck.export("mcp")]


def test_resources_and_targets_are_parameters(shell: Shell) -> None:
    cell = "\ndef number(n: int) -> int:\n    return n"
    shell.run(f"%%tool --resources n --target n{cell}")
    assert shell.deck["number"].resources({"n": 5}) == {"5"}
    assert "did you mean 'n'" in shell.fails(f"%%tool --resources N{cell}")


@pytest.mark.parametrize("option", ["available", "check-input", "check-output", "schema-override"])
def test_a_function_that_is_not_there_is_named(shell: Shell, option: str) -> None:
    said = shell.fails(f"%%tool --{option} nothing{CELL}")
    assert said.startswith(f"--{option} nothing: there is no function of that name")


def test_every_option_of_a_tool_can_be_given_on_the_line_and_is_completed(shell: Shell) -> None:
    assert set(OPTION_NAMES) == {*_VALUED, *_FLAGS} - {"no_ask"}
    offered = set(complete(shell.deck, "%%tool --").words)
    assert {f"--{name.replace('_', '-')}" for name in (*_VALUED, *_FLAGS)} == offered

"""Words that no magic was made for: one sentence, nothing hidden, no traceback."""

from __future__ import annotations

import pytest

from tests.notebook.conftest import Shell
from tooldeck.core.errors import TooldeckError


@pytest.fixture
def adding(shell: Shell) -> Shell:
    shell.run("%%tool --effects none\ndef add(a: int, b: int = 2) -> int:\n    return a + b")
    return shell


@pytest.mark.parametrize("word", ["²", "0", "-0", "9" * 5000, "-99"])
def test_a_place_in_the_history_that_is_none_is_one_sentence(adding: Shell, word: str) -> None:
    adding.run("%call add a=1")
    assert adding.fails(f"%trace {word}")


def test_arguments_may_stand_behind_any_blank(adding: Shell) -> None:
    assert adding.run("%call add\ta=1").value == 3


@pytest.mark.parametrize("value", ["[" * 100_000, "9" * 5000, "NaN", "\x1b[31m"])
def test_a_typed_value_that_cannot_be_meant_is_refused_as_an_argument(adding: Shell, value: str) -> None:
    assert adding.run(f"%call add a={value}").status == "invalid"


def test_a_name_cannot_hide_in_a_result(adding: Shell) -> None:
    shown = adding.shown("%call \x1b[31mx")
    assert "\x1b" not in shown
    assert "\\x1b[31mx: unknown" in shown


def test_what_a_server_says_cannot_colour_a_mistake(adding: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise TooldeckError("it said \x1b[2Jgone\u202e")

    monkeypatch.setattr(type(adding.deck.mcp), "connect", refuse)
    assert adding.fails("%mcp connect demo") == "it said \\x1b[2Jgone\\u202e"

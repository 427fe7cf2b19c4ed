"""Tab in the lines of the magics."""

from __future__ import annotations

import pytest
from IPython.core.completer import provisionalcompleter

from tests.notebook.conftest import Shell

TOOL = "%%tool --effects none\ndef departures(station: str, limit: int = 5) -> str:\n    return station"


def offered(shell: Shell, line: str) -> list[str]:
    """What Tab offers at the end of a line."""
    with provisionalcompleter():
        return [found.text for found in shell.ip.Completer.completions(line, len(line))]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%call dep", "departures"),
        ("%call departures st", "station="),
        ("%call departures station=Ulm li", "limit="),
        ("%tool d", "departures"),
        ("%trace d", "departures"),
        ("%policy al", "allow"),
        ("%policy allow dep", "departures"),
        ("%policy preset rea", "read_only"),
        ("%mcp con", "connect"),
        ("%mcp connect d", "demo"),
        ("%deck l", "log"),
        ("%deck plugins l", "load"),
        ("%tools of", "off"),
        ("%tools off dep", "departures"),
        ("%tools on eff", "effects=write"),
        ("%%tool --effects wr", "write"),
        ("deck.call('", "departures"),
        ('result = await deck.acall("dep', "departures"),
        ("deck.call('departures', ", "station="),
        ("deck.call('departures', station='Ulm', li", "limit="),
        ("print(deck['dep", "departures"),
    ],
)
def test_tab_offers_what_may_come_next(shell: Shell, line: str, expected: str) -> None:
    shell.run(TOOL)
    assert expected in offered(shell, line)


@pytest.mark.parametrize("line", ["%mcp ", "%%tool --", "%policy allow ", "deck.call('"])
def test_where_only_words_of_ours_can_stand_tab_offers_nothing_else(shell: Shell, line: str) -> None:
    shell.run(TOOL)
    words = offered(shell, line)
    assert words
    assert not {"and", "--abs", "in", "%alias"} & set(words)


def test_tab_knows_the_tools_of_a_server_behind_its_name(shell: Shell) -> None:
    shell.run("%mcp connect demo")
    assert offered(shell, "deck.mcp['d") == ["demo"]
    assert offered(shell, "x = deck.mcp['demo'].count") == ["count_slowly"]
    assert not [name for name in offered(shell, 'deck.mcp["demo"].') if name.startswith("_")]


def test_tab_in_a_call_offers_no_argument_twice_and_none_within_a_value(shell: Shell) -> None:
    shell.run(TOOL)
    assert "station=" not in offered(shell, "deck.call('departures', station='Ulm', ")
    assert "station=" not in offered(shell, "deck.call('departures', limit=s")


def test_an_argument_that_is_given_is_not_offered_again(shell: Shell) -> None:
    shell.run(TOOL)
    assert "station=" not in offered(shell, "%call departures station=Ulm ")

"""Breakers of targets in the notebook: what `%deck` and the card of a tool say of them."""

from __future__ import annotations

from dataclasses import replace

from tests.notebook.conftest import Shell
from tooldeck import Deck, Origin, Tool, ToolResult
from tooldeck.core.breaker import BreakerState, Phase
from tooldeck.core.define import Options, define
from tooldeck.core.targets import SharedTarget
from tooldeck.notebook.live import Live

FETCH = '''%%tool --effects none --target url --breaker 2 --call-timeout 5
def fetch(url: str) -> str:
    """Fetch a page."""
    raise ConnectionError("down")
'''


def test_the_list_of_a_deck_names_the_target_that_is_left_alone(shell: Shell) -> None:
    shell.run(FETCH)
    for _ in range(2):
        shell.run("deck.call('fetch', url='http://bad.example/x')")
    assert shell.deck.call("fetch", url="http://bad.example/y").status == "tripped"
    assert "breaker of fetch for bad.example: open, 2 of 2 failures" in shell.shown("%deck")


class Card:
    """A card as far as its gauge goes."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.shown: dict[str, Phase] = {}

    def show_breaker(
        self, _state: BreakerState, _recent: object, _left: float, targets: dict[str, BreakerState]
    ) -> None:
        self.shown = {name: state.phase for name, state in targets.items()}

    def show_result(self, _result: ToolResult) -> None:
        pass

    def remember(self, _results: list[ToolResult]) -> None:
        pass


def unreachable() -> None:
    """Ask a server that is gone."""
    raise ConnectionResetError


def test_cards_show_a_target_as_soon_as_it_opens_and_a_lost_server_on_all_its_tools() -> None:
    deck = Deck(policy="auto")
    origin, shared = Origin("mcp", "docs"), SharedTarget("docs", (ConnectionError,))
    tools = [
        deck.add(replace(define(unreachable, Options(name=name, breaker=1)), origin=origin, shared=shared))
        for name in ("one", "two")
    ]
    live = Live(deck)
    deck.subscribe(live.observe)
    cards = [Card(tool) for tool in tools]
    for card in cards:
        live.follow(card)
    deck.call("one")
    assert [card.shown for card in cards] == [{"docs": Phase.OPEN}] * 2
    deck.breaker("two", "docs").reset()
    live.flush()
    assert deck.call("two").status == "failed"

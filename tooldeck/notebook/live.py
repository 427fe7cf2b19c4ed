"""Keeping what is on screen in step with the deck: cards, gauges, and the last trace."""

from __future__ import annotations

import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from tooldeck.core.events import BreakerMoved, CallEnded, Event, ToolAdded, ToolRemoved
from tooldeck.core.vocabulary import Source
from tooldeck.deck import Deck

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection

__all__ = ["Live"]

_EVERY = 0.05
"""Seconds between two updates of one card while calls come thick; the last state always gets through."""


class Live:
    """Observes a deck and tells the cards that show its tools. Works from any thread."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self._cards: weakref.WeakSet[Any] = weakref.WeakSet()
        self._sessions: weakref.WeakSet[Any] = weakref.WeakSet()
        self._servings: weakref.WeakSet[Any] = weakref.WeakSet()
        self._late: dict[str, CallEnded] = {}
        self._last: dict[str, float] = {}
        self._lock = threading.Lock()

    def follow(self, card: Any) -> None:
        """Keep a card up to date for as long as somebody holds it; it begins with what happened so far."""
        with self._lock:
            self._cards.add(card)
        card.remember([result for result in self._deck.history() if result.call.tool is card.tool])
        self._gauges(card.tool.name)

    def follow_session(self, card: Any) -> None:
        """Keep the card of an MCP server up to date for as long as somebody holds it."""
        with self._lock:
            self._sessions.add(card)

    def follow_serving(self, card: Any) -> None:
        """Keep the card of the served deck up to date for as long as somebody holds it."""
        with self._lock:
            self._servings.add(card)

    def observe(self, event: Event) -> None:
        """Take in one event of the deck."""
        tool = event.result.call.tool if isinstance(event, CallEnded) else getattr(event, "tool", None)
        if tool is not None and tool.origin.kind == "mcp":
            self._refresh(tool.origin.label)
        if isinstance(event, ToolAdded | ToolRemoved) or _served(event):
            self._refresh_servings()
        if isinstance(event, ToolAdded) and event.replaced is not None:
            for card in self._of(event.tool.name):
                card.replace(event.tool)
        elif isinstance(event, ToolRemoved):
            for card in self._of(event.tool.name):
                card.remove()
        elif isinstance(event, CallEnded):
            self._ended(event)
        elif isinstance(event, BreakerMoved) and event.state.failures:
            for name in self._watched_by(event):
                self._gauges(name)

    def session_ended(self, connection: Connection) -> None:
        """Show that a server is gone, although nobody calls it."""
        self._refresh(connection.label)

    def session_revived(self, connection: Connection) -> None:
        """Show a server that was connected again by itself."""
        self._refresh(connection.label, connection)

    def _refresh(self, label: str, made: Connection | None = None) -> None:
        with self._lock:
            cards = [card for card in self._sessions if card.label == label]
        for card in cards:
            card.refresh(made)

    def _refresh_servings(self) -> None:
        with self._lock:
            servings = list(self._servings)
        for card in servings:
            card.refresh()

    def flush(self, *_ignored: Any) -> None:
        """Show what was held back; called when a cell has ended."""
        with self._lock:
            late, self._late = self._late, {}
        for event in late.values():
            self._show(event)

    def _ended(self, event: CallEnded) -> None:
        name = event.result.call.name
        if event.result.call.tool is None or not self._of(name):  # a caller to whom the tool is not shown
            return
        now = time.monotonic()
        with self._lock:
            if now - self._last.get(name, 0.0) < _EVERY:
                self._late[name] = event
                return
            self._last[name] = now
            self._late.pop(name, None)
        self._show(event)

    def _show(self, event: CallEnded) -> None:
        name = event.result.call.name
        for card in self._of(name):
            card.show_result(event.result)
        self._gauges(name)

    def _gauges(self, name: str) -> None:
        try:
            breaker, known = self._deck.breaker(name), self._deck.breaker_targets(name)
        except LookupError:  # the tool is gone, perhaps this very moment: a server died
            return
        targets = {target: circuit.state for target, circuit in known.items() if not circuit.quiet}
        for card in self._of(name):
            card.show_breaker(breaker.state, tuple(breaker.recent), breaker.seconds_left(), targets)

    def _watched_by(self, event: BreakerMoved) -> set[str]:
        """The tools that go through the breaker that moved: a server's is that of all its tools."""
        shared = event.tool.shared
        if shared is None or shared.name != event.target:
            return {event.tool.name}
        with self._lock:
            return {card.tool.name for card in self._cards if card.tool.origin == event.tool.origin}

    def _of(self, name: str) -> list[Any]:
        with self._lock:
            return [card for card in self._cards if card.tool.name == name]


def _served(event: Event) -> bool:
    return isinstance(event, CallEnded) and event.result.call.caller.source is Source.MCP

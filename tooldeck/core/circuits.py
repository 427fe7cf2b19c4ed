"""The breakers of one deck: for each tool object, each of its targets and each server, made when needed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from tooldeck.core.breaker import Breaker, BreakerState
from tooldeck.core.errors import DefinitionError
from tooldeck.core.shared_breaker import BreakerStore, SharedBreaker
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import nearest

__all__ = ["Circuits"]

MOST_TARGETS = 128
"""Targets remembered per tool. Beyond that one without failures is forgotten, else the one unused longest."""


_log = logging.getLogger("tooldeck")


class Circuits:
    """Breakers by tool object, so that a redefined tool starts afresh and a namesake changes nothing.

    `moved` is told of every change: the tool, the new state, and the target or an empty text. `store` keeps
    the states of tools that share theirs with other programs, under the name that `key` gives a tool.
    """

    def __init__(
        self,
        now: Callable[[], float],
        moved: Callable[[Tool, BreakerState, str], None],
        store: BreakerStore | None = None,
        key: Callable[[Tool], str] = str,
    ) -> None:
        self._now = now
        self._store = store
        self._key = key
        self._moved = moved
        self._breakers: dict[Tool, Breaker] = {}
        self._targets: dict[Tool, dict[str, Breaker]] = {}
        self._servers: dict[tuple[str, str], Breaker] = {}
        self._lock = threading.Lock()

    def of(self, tool: Tool, target: str = "") -> Breaker:
        """The breaker of a tool, or of one target of it; the same for every thread."""
        if target:
            return self._of_target(tool, target)
        found = self._breakers.get(tool)
        if found is None:
            found = self._breakers.setdefault(tool, self._made(tool, ""))
        return found

    def of_server(self, tool: Tool) -> Breaker | None:
        """The breaker that a tool shares with the others of its server, or None where it shares none."""
        if tool.shared is None:
            return None
        key = (tool.origin.kind, tool.shared.name)
        found = self._servers.get(key)
        if found is None:
            found = self._servers.setdefault(key, self._made(tool, tool.shared.name, " ".join(key)))
        return found

    def named(self, tool: Tool, target: str | None) -> Breaker:
        """The breaker that a person means; raises `DefinitionError` for a target that the tool has not."""
        if target is None:
            return self.of(tool)
        server = self.of_server(tool)
        if server is not None and tool.shared is not None and target == tool.shared.name:
            return server
        known = self.targets(tool)
        if target in known:
            return known[target]
        if not known:
            raise DefinitionError(
                f"{tool.name!r} has called no target yet, so there is no breaker of {target!r}."
            )
        close = nearest(target, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}."
        raise DefinitionError(f"{tool.name!r} has no breaker of the target {target!r}; {hint}")

    def targets(self, tool: Tool) -> Mapping[str, Breaker]:
        """The breakers of a tool's targets and of its server, as far as they were needed."""
        with self._lock:
            found = dict(self._targets.get(tool, {}))
        for name, action in tool.actions.items():
            if action in self._breakers:
                found[name] = self._breakers[action]
            found |= {f"{name} {target}": known for target, known in self.targets(action).items()}
        if tool.shared is not None and (server := self._servers.get((tool.origin.kind, tool.shared.name))):
            found[tool.shared.name] = server
        return found

    def forget(self, tool: Tool) -> None:
        """Drop the breakers of a tool that is gone; its server starts afresh with what replaces it."""
        for one in (tool, *tool.actions.values()):
            self._breakers.pop(one, None)
            with self._lock:
                self._targets.pop(one, None)
        if tool.shared is not None:
            self._servers.pop((tool.origin.kind, tool.shared.name), None)

    def _of_target(self, tool: Tool, target: str) -> Breaker:
        with self._lock:
            known = self._targets.setdefault(tool, {})
            found = known.pop(target, None) or self._made(tool, target)
            if len(known) >= MOST_TARGETS:
                known.pop(next((name for name, old in known.items() if old.quiet), next(iter(known))))
            known[target] = found  # at the end: the one used last
            return found

    def _made(self, tool: Tool, target: str, key: str = "") -> Breaker:
        def listener(state: BreakerState) -> None:
            self._moved(tool, state, target or tool.action)

        if not tool.breaker.shared:
            return Breaker(tool.breaker, self._now, listener)
        if self._store is None:
            _log.warning(
                "The breaker of %r is declared shared, and its deck has no store to share it in; "
                'make the deck with Deck(store=".tooldeck/deck.db").',
                tool.name,
            )
            return Breaker(tool.breaker, self._now, listener)
        return SharedBreaker(tool.breaker, self._store, key or f"{self._key(tool)} {target}", listener)

"""Tab completion for prompts and resources of servers, with the server's own suggestions for values."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from tooldeck.deck import Deck

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection

__all__ = ["offered"]

_PATIENCE = 1.0
"""Seconds that a press of the tab key may wait for a server."""


def offered(deck: Deck, words: list[str], start: str = "") -> Iterable[str]:
    """What may come after ``%mcp`` and these words: names of prompts, addresses, and ``name=value`` for gaps.

    Lists that nobody has read yet are read now, if the server is quick about it.
    """
    verb, *given = words
    made = _server(deck, given)
    if made is None or verb in ("prompts", "resources", "unsubscribe"):
        return [one.uri for one in made.session.subscriptions] if made and verb == "unsubscribe" else []
    given = given[1:] if given[:1] == [made.label] else given
    try:
        names = _names(made, verb)
    except Exception:  # noqa: BLE001 - whoever presses tab is not told of faults of a server
        return []
    if not given:
        return names
    thing = names.get(given[0])
    return [] if thing is None else _gaps(made, thing, given[1:], start)


def _server(deck: Deck, words: list[str]) -> Connection | None:
    servers = {made.label: made for made in deck.servers()}
    if words and words[0] in servers:
        return servers[words[0]]
    return next(iter(servers.values())) if len(servers) == 1 else None


def _names(made: Connection, verb: str) -> dict[str, Any]:
    """The things that the word is about, None for an address, which has no gaps."""
    if verb == "prompt":
        return {one.name: one for one in made.prompts.values()}
    found: dict[str, Any] = dict.fromkeys(made.resources)
    if verb == "read":
        for one in made.resources.templates.values():
            found |= {one.name: one, one.remote.template: one}
    return found


def _gaps(made: Connection, thing: Any, given: list[str], start: str) -> list[str]:
    filled = {name: value for name, _, value in (word.partition("=") for word in given)}
    name, equals, text = start.partition("=")
    names = [one for one in thing.remote.schema["properties"] if one not in filled]
    if not equals or name not in names:
        return [f"{one}=" for one in names]
    suggestions: Future[Any] = made.session.executor.submit(thing.completing(name, text, filled))
    try:
        return [f"{name}={value}" for value in suggestions.result(_PATIENCE) if " " not in value]
    except Exception:  # noqa: BLE001 - as above
        return []

"""What people accepted of a server: the definitions of its tools, and the command that starts it.

A tool is pinned by a hash over all that its server says of it. The first list of a server is accepted with
the server; afterwards a definition that is another one, or that is new, waits for a person.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from tooldeck.core.canonical import exact_text
from tooldeck.core.errors import StoreError
from tooldeck.mcp.listing import RemoteTool
from tooldeck.store.tables import KeptPin, PinTable

_KNOWN = ""
# Stands for the server itself; no tool has this name.

__all__ = ["Pins", "Standing", "digest"]


class Standing(StrEnum):
    """How a definition compares to what was accepted."""

    PINNED = "pinned"
    """It was accepted just like this, or the server is not pinned at all."""
    NEW = "new"
    """The server is known, and a tool of this name was never accepted."""
    CHANGED = "changed"
    """Another definition of this name was accepted."""


class Pins:
    """The pins of one deck. `store` keeps them beyond it; without it, or while it fails, memory does."""

    def __init__(self, store: PinTable | None = None) -> None:
        self._store = store
        self._pins: dict[str, dict[str, list[KeptPin]]] = {}
        self.trouble = ""
        """Why pins are in memory only; empty where they are kept."""

    def of(self, server: str) -> Mapping[str, list[KeptPin]]:
        """The accepted definitions of a server by name, oldest first."""
        known = self._pins.get(server)
        if known is None:
            known = self._pins[server] = {}
            for pin in self._loaded(server):
                known.setdefault(pin.name, []).append(pin)
        return known

    def standing(self, server: str, name: str, definition: Mapping[str, Any]) -> Standing:
        """How a definition compares to what was accepted."""
        accepted = self.of(server)
        if name not in accepted:
            return Standing.NEW if accepted else Standing.PINNED
        known = digest(definition) in {pin.digest for pin in accepted[name]}
        return Standing.PINNED if known else Standing.CHANGED

    def accepted(self, server: str, name: str) -> dict[str, Any] | None:
        """The definition that was accepted last, or None."""
        pins = self.of(server).get(name)
        return json.loads(pins[-1].definition) if pins else None

    def accept(self, server: str, definitions: Mapping[str, Mapping[str, Any]]) -> None:
        """Accept definitions, by name; what was accepted before stays accepted."""
        self.of(server)
        for name, definition in definitions.items():
            pins = self._pins[server].setdefault(name, [])
            pin = KeptPin(server, name, digest(definition), exact_text(dict(definition)))
            pins[:] = [*(one for one in pins if one.digest != pin.digest), pin]
            self._attempt(pin)

    def accept_list(self, server: str, tools: Iterable[RemoteTool]) -> None:
        """Accept the tools of a server that was not known, and that it is known now, even without tools."""
        self.accept(server, {_KNOWN: {}, **{tool.name: tool.definition for tool in tools}})

    def forget(self, server: str) -> None:
        """Accept nothing of a server any longer: its next list is its first."""
        self._pins[server] = {}
        if self._store is not None:
            self._store.drop(server)

    def _loaded(self, server: str) -> list[KeptPin]:
        try:
            return [] if self._store is None else self._store.load(server)
        except StoreError as error:
            self.trouble = str(error)
            return []

    def _attempt(self, pin: KeptPin) -> None:
        try:
            if self._store is not None:
                self._store.save(pin)
        except StoreError as error:
            self.trouble = str(error)


def digest(definition: Mapping[str, Any]) -> str:
    """SHA-256 over the whole definition as canonical JSON, as hexadecimal digits."""
    return hashlib.sha256(exact_text(dict(definition)).encode("utf-8", "surrogatepass")).hexdigest()

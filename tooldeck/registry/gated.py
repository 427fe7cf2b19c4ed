"""The part of a deck about which of its tools are there: switches and the allow list."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Protocol

from tooldeck.core.errors import DefinitionError
from tooldeck.core.gates import PATTERN_MARKS, Gates, strict, unknown_allowed
from tooldeck.core.tool import Tool

__all__ = ["Gated"]


class _Deck(Protocol):
    """What a deck has besides."""

    _gates: Gates

    def __getitem__(self, name: str) -> Tool: ...

    def __contains__(self, name: object) -> bool: ...


class Gated:
    """The methods of a deck about gates; `_gates` is set by the deck."""

    _gates: Gates

    def disable(self: _Deck, name: str | None = None, *, effects: str | Iterable[str] | None = None) -> None:
        """Switch tools off: one by name, several by a pattern (``git__*``), or all that have an effect.

        Models no longer see them, and their calls end as ``denied``. With `effects`, tools that declare none
        are switched off too, since they may have them. It holds for later tools as well. Raises
        `DefinitionError` for a name that no tool has.
        """
        if isinstance(name, str) and not set(PATTERN_MARKS) & set(name) and name not in self:
            try:
                self[name]
            except KeyError as error:
                raise DefinitionError(f"{error.args[0]} A pattern may name tools that come later.") from None
        self._gates.switch(name, effects, on=False)

    def enable(self: _Deck, name: str | None = None, *, effects: str | Iterable[str] | None = None) -> None:
        """Switch on what `disable` switched off, or one tool of a pattern or an effect that is off.

        The last word about a name counts, and a word about a name more than one about effects.
        """
        self._gates.switch(name, effects, on=True)

    def why_not(self: _Deck, tool: str | Tool) -> str | None:
        """Why a tool cannot be used now: not allowed here, switched off, not available; None when it can.

        What policy says of it is another matter. Raises KeyError where there is no tool of that name.
        """
        return self._gates.why_not(self[tool] if isinstance(tool, str) else tool)

    def _check_allowed(self, names: Iterable[str]) -> None:
        """Say what the allow list names in vain: a warning, and an error on a build server."""
        sentence = unknown_allowed(self._gates.allowed, names)
        if sentence is None:
            return
        if strict(os.environ):
            raise DefinitionError(sentence)
        warnings.warn(sentence, stacklevel=3)

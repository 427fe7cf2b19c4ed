"""What all magics share: the notebook they belong to, and mistakes told in one sentence."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from IPython.core.error import UsageError
from IPython.core.magic import Magics

from tooldeck.core.errors import CallError, TooldeckError
from tooldeck.core.tool import Tool
from tooldeck.guards.text import visible
from tooldeck.notebook.lines import Mistake

if TYPE_CHECKING:
    from tooldeck.deck import Deck
    from tooldeck.notebook.extension import Notebook

__all__ = ["DeckMagicsBase", "found_in", "in_one_sentence"]

F = TypeVar("F", bound=Callable[..., Any])
T_co = TypeVar("T_co", covariant=True)


class SupportsGetItem(Protocol[T_co]):
    """Anything that gives things by name."""

    def __getitem__(self, name: str, /) -> T_co: ...


class DeckMagicsBase(Magics):
    """Magics that work on the deck of one notebook."""

    def __init__(self, notebook: Notebook) -> None:
        super().__init__(shell=notebook.shell)
        self.notebook = notebook

    @property
    def deck(self) -> Deck:
        """The notebook's deck."""
        return self.notebook.deck

    def named(self, name: str) -> Tool:
        """The tool of that name; raises `Mistake` with the nearest names."""
        return found_in(self.deck, name)


def found_in(things: SupportsGetItem[T_co], name: str) -> T_co:
    """``things[name]``; a missing one becomes a `Mistake` with the sentence of the KeyError."""
    try:
        return things[name]
    except KeyError as error:
        raise Mistake(str(error.args[0])) from None


def in_one_sentence(magic: F) -> F:
    """Turn our own errors into IPython's usage error: shown without a traceback, and the cell fails."""

    @functools.wraps(magic)
    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            return magic(*args, **kwargs)
        except CallError:
            raise
        except TooldeckError as error:
            message = visible(str(error))  # it may repeat what a server said
        raise UsageError(message)

    return told  # type: ignore[return-value]

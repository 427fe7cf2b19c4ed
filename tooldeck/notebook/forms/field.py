"""What every kind of field offers to the row or list it stands in."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, Protocol

import ipywidgets

from tooldeck.guards.text import visible

__all__ = ["LABEL_WIDTH", "UNSET", "Field", "Unset", "Watchers", "labelled"]


LABEL_WIDTH = "124px"
"""The column of labels; a narrow form puts them above."""


class Unset(Enum):
    """The type of `UNSET`."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET
"""The value of a field that nobody filled in."""


class Field(Protocol):
    """An editor for one JSON value."""

    @property
    def widget(self) -> ipywidgets.Widget:
        """What is put on screen; carries its own label."""
        ...

    def get(self) -> Any:
        """The JSON value, or `UNSET`."""
        ...

    def set(self, value: Any) -> None:
        """Show a value, or nothing for `UNSET`; a value of another kind is shown as well as it can be."""
        ...

    def fault(self) -> str:
        """Why what was typed is no value of this kind; empty when it is one."""
        ...

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change, whoever made it."""
        ...


class Watchers:
    """The callbacks of a field that is made of several widgets."""

    def __init__(self) -> None:
        self._all: list[Callable[[], None]] = []

    def add(self, changed: Callable[[], None]) -> None:
        """Remember a callback."""
        self._all.append(changed)

    def tell(self, _change: Any = None) -> None:
        """Call them all."""
        for changed in self._all:
            changed()


def labelled(kind: type[Any], label: str, **traits: Any) -> Any:
    """A control with its label: the label belongs to it for screen readers, and is never read as HTML."""
    layout = ipywidgets.Layout(width="auto", flex="1 1 auto", min_width="0")
    return kind(
        description=visible(label),
        description_allow_html=False,
        style={"description_width": LABEL_WIDTH},
        layout=layout,
        **traits,
    )

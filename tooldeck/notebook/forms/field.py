"""What every kind of field offers to the place it stands in, and what the kinds have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, Final, Protocol, runtime_checkable

import ipywidgets

from tooldeck.core.parameters import Problem
from tooldeck.guards.text import visible

__all__ = [
    "UNSET",
    "Explained",
    "Field",
    "Leaf",
    "Unset",
    "Watchers",
    "beneath",
    "button",
    "label",
    "labelled",
    "made",
    "same",
    "within",
]

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
        """Show a value, or nothing for `UNSET`; what it cannot show, `get` does not give back."""
        ...

    def faults(self) -> list[Problem]:
        """Why what was typed is no value of this kind, with paths from here; empty when it is one."""
        ...

    def place(self, problems: list[Problem]) -> list[Problem]:
        """Show problems at the parts they belong to, and no older ones; return the others."""
        ...

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change, whoever made it."""
        ...


@runtime_checkable
class Explained(Protocol):
    """A field of many parts, which shows its help at its head: below, it would be far from the start."""

    def explain(self, words: str) -> None:
        """Show what the field is for."""
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


class Leaf:
    """A field without parts: every problem is its own, and by itself nothing typed is a fault."""

    widget: Any

    def __init__(self) -> None:
        self._watchers = Watchers()

    def fault(self) -> str:
        """Why what was typed is no value of this kind, in words; empty when it is one."""
        return ""

    def faults(self) -> list[Problem]:
        """The fault as a problem."""
        words = self.fault()
        return [Problem("", words)] if words else []

    def place(self, problems: list[Problem]) -> list[Problem]:
        """There are no parts to place a problem at."""
        return problems

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)


# Each layout and each style is a model of its own on the page, and most are the same. Sharing them makes a
# form appear in half the time. Shared ones are never changed afterwards: what moves gets a CSS class.
_shared: dict[tuple[type[Any], bool], tuple[Any, Any]] = {}


def made(kind: type[Any], *parts: Any, stretched: bool = False, **traits: Any) -> Any:
    """A widget that shares its layout and style with others of its kind; `stretched` takes the free width."""
    layout, style = _shared.get((kind, stretched), (None, None))
    if layout is not None and layout.comm is not None:
        return kind(*parts, layout=layout, **({} if style is None else {"style": style}), **traits)
    first = {"width": "auto", "flex": "1 1 auto", "min_width": "0"} if stretched else {}
    widget = kind(*parts, layout=ipywidgets.Layout(**first), **traits)
    style = getattr(widget, "style", None)
    if stretched and style is not None:
        style.description_width = LABEL_WIDTH
    _shared[kind, stretched] = (widget.layout, style)
    return widget


def labelled(kind: type[Any], words: str, **traits: Any) -> Any:
    """A control with its label: the label belongs to it for screen readers, and is never read as HTML."""
    return made(kind, stretched=True, description=visible(words), description_allow_html=False, **traits)


def label(words: str, kind: str) -> Any:
    """A line of text with a CSS class."""
    line = made(ipywidgets.Label, visible(words))
    line.add_class(kind)
    return line


def button(kind: str, icon: str, tooltip: str, pressed: Callable[[], object], words: str = "") -> Any:
    """A small button with a CSS class; `tooltip` is also its name for screen readers."""
    made_button = made(ipywidgets.Button, icon=icon, tooltip=visible(tooltip), description=words)
    made_button.add_class("td-form-button")
    made_button.add_class(kind)
    made_button.on_click(lambda _: pressed())
    return made_button


def beneath(step: str, problems: Iterable[Problem]) -> list[Problem]:
    """The same problems as they are called one step further out."""
    return [Problem(_joined(step, one.path), one.wanted, one.got) for one in problems]


def _joined(step: str, path: str) -> str:
    return f"{step}{path}" if not path or path.startswith("[") else f"{step}.{path}"


def within(step: str, problem: Problem) -> Problem | None:
    """The problem as it is called from `step` on; None when it belongs elsewhere."""
    path = problem.path
    if path != step and not path.startswith((f"{step}.", f"{step}[")):
        return None
    return Problem(path[len(step) :].removeprefix("."), problem.wanted, problem.got)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON values: true is not 1, at any depth."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)

"""One of several given values, or some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from tooldeck.guards.text import visible
from tooldeck.notebook.forms.field import UNSET, Watchers, labelled

__all__ = ["ChoiceField", "SeveralField"]

Options = Sequence[tuple[str, Any]]
_NONE = -1


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON values: true is not 1."""
    return isinstance(one, bool) is isinstance(other, bool) and one == other


def _place(value: Any, options: Options) -> int:
    return next((place for place, (_, option) in enumerate(options) if _same(option, value)), _NONE)


class ChoiceField:
    """A dropdown. Its values may be anything JSON can hold, so it works by place, not by value."""

    def __init__(self, label: str, options: Options) -> None:
        self._options = options
        shown = [("—", _NONE), *((visible(name), place) for place, (name, _) in enumerate(options))]
        self.widget = labelled(ipywidgets.Dropdown, label, options=shown, value=_NONE)
        self._watchers = Watchers()
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """The chosen value, or unset."""
        return UNSET if self.widget.value == _NONE else self._options[self.widget.value][1]

    def set(self, value: Any) -> None:
        """Choose a value; what is not on offer chooses nothing."""
        self.widget.value = _place(value, self._options)

    def fault(self) -> str:
        """Only what is on offer can be chosen."""
        return ""

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)


class SeveralField:
    """A list of given values, each once, in their order."""

    def __init__(self, label: str, options: Options) -> None:
        self._options = options
        shown = [(visible(name), place) for place, (name, _) in enumerate(options)]
        rows = min(6, len(options))
        self.widget = labelled(ipywidgets.SelectMultiple, label, options=shown, rows=rows)
        self._watchers = Watchers()
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """The chosen values."""
        return [self._options[place][1] for place in self.widget.value]

    def set(self, value: Any) -> None:
        """Choose values."""
        chosen = value if isinstance(value, list | tuple) else []
        places = (_place(item, self._options) for item in chosen)
        self.widget.value = tuple(dict.fromkeys(place for place in places if place != _NONE))

    def fault(self) -> str:
        """Only what is on offer can be chosen."""
        return ""

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

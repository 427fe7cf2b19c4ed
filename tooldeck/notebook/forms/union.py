"""A value of one of several kinds: a chooser, and the field of the kind that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from tooldeck.core.parameters import Problem
from tooldeck.guards.text import visible
from tooldeck.notebook.forms.field import UNSET, Field, Leaf, Watchers, labelled, made

__all__ = ["UnionField"]


class UnionField:
    """`make` makes the field of the branch with a given place, `pick` tells the place for a value."""

    def __init__(
        self,
        heading: str,
        names: Sequence[str],
        make: Callable[[int], Field],
        pick: Callable[[Any], int],
    ) -> None:
        self._make = make
        self._pick = pick
        self._made: dict[int, tuple[Field, Any]] = {}
        self._watchers = Watchers()
        shown = [(visible(name), place) for place, name in enumerate(names)]
        self._chooser = labelled(ipywidgets.Dropdown, heading, options=shown, value=0)
        self._chooser.observe(self._chosen, "value")
        self.widget = made(ipywidgets.HBox)
        self.widget.add_class("td-form-union")
        self._draw()

    @property
    def field(self) -> Field:
        """The field of the branch that is chosen."""
        return self._branch()[0]

    def _branch(self) -> tuple[Field, Any]:
        """The field of the branch that is chosen, and the box around it."""
        place = self._chooser.value
        if place not in self._made:
            field = self._make(place)
            field.watch(self._watchers.tell)
            box = made(ipywidgets.VBox, [field.widget])
            box.add_class("td-form-branch")
            box.add_class("td-form-bare" if isinstance(field, Leaf) else "td-form-wide")
            self._made[place] = (field, box)
        return self._made[place]

    def _chosen(self, _change: Any) -> None:
        self._draw()
        self._watchers.tell()

    def _draw(self) -> None:
        self.widget.children = (self._chooser, self._branch()[1])

    def get(self) -> Any:
        """The value of the branch that is chosen, or unset."""
        return self.field.get()

    def set(self, value: Any) -> None:
        """Show a value in the branch it is meant for."""
        self._chooser.value = 0 if value is UNSET else self._pick(value)
        self.field.set(value)

    def faults(self) -> list[Problem]:
        """The faults of the branch that is chosen."""
        return self.field.faults()

    def place(self, problems: list[Problem]) -> list[Problem]:
        """Problems belong to the branch that is chosen."""
        return self.field.place(problems)

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

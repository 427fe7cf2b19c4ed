"""A list of values that are all of one kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from tooldeck.guards.text import visible
from tooldeck.notebook.forms.field import UNSET, Field, Watchers

__all__ = ["ArrayField"]


class ArrayField:
    """Items that can be added and taken away; `make` makes the field of the item with the given label."""

    def __init__(self, label: str, make: Callable[[str], Field]) -> None:
        self._label = label
        self._make = make
        self._items: list[Field] = []
        self._watchers = Watchers()
        self._rows = ipywidgets.VBox()
        add = ipywidgets.Button(
            description="Add",
            icon="plus",
            layout=ipywidgets.Layout(width="auto"),
            tooltip=f"Add to {label}",
        )
        add.on_click(lambda _: self._add())
        add.add_class("td-form-add")
        items = ipywidgets.VBox([self._rows, add])
        items.add_class("td-form-list-items")
        self.widget = ipywidgets.HBox([ipywidgets.Label(visible(label)), items])
        self.widget.add_class("td-form-list")

    def _add(self, value: Any = UNSET) -> None:
        self._append(value)
        self._draw()
        self._watchers.tell()

    def _append(self, value: Any) -> None:
        item = self._make(f"{len(self._items) + 1}.")
        item.set(value)
        item.watch(self._watchers.tell)
        self._items.append(item)

    def _remove(self, item: Field) -> None:
        if item in self._items:
            self._items.remove(item)
            self._draw()
            self._watchers.tell()

    def _draw(self) -> None:
        self._rows.children = tuple(self._row(item) for item in self._items)

    def _row(self, item: Field) -> Any:
        remove = ipywidgets.Button(
            icon="times", tooltip=f"Remove this item of {self._label}", layout=ipywidgets.Layout(width="30px")
        )
        remove.on_click(lambda _: self._remove(item))
        return ipywidgets.HBox([item.widget, remove])

    def get(self) -> Any:
        """The items that are filled in."""
        values = [item.get() for item in self._items]
        return [value for value in values if value is not UNSET]

    def set(self, value: Any) -> None:
        """Show these items."""
        self._items = []
        for item in value if isinstance(value, list | tuple) else []:
            self._append(item)
        self._draw()
        self._watchers.tell()

    def fault(self) -> str:
        """The first fault of an item."""
        faults = [
            f"item {place}: {item.fault()}" for place, item in enumerate(self._items, 1) if item.fault()
        ]
        return faults[0] if faults else ""

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

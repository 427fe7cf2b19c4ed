"""A list of values that are all of one kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from tooldeck.core.parameters import Problem
from tooldeck.notebook.forms.field import UNSET, Field, Watchers, beneath, button, label, made, within
from tooldeck.notebook.forms.holder import Holder
from tooldeck.notebook.forms.raw import RawField

__all__ = ["ArrayField", "Item"]


class Item(Holder):
    """One item of a list with its number and the buttons that move it or take it away."""

    def __init__(self, field: Field, raw: Callable[[], RawField], owner: ArrayField) -> None:
        super().__init__(field, raw)
        self._number = label("", "td-form-number")
        self._ends = [
            button("td-form-up", "arrow-up", "Move this item up", lambda: owner.move(self, -1)),
            button("td-form-down", "arrow-down", "Move this item down", lambda: owner.move(self, 1)),
            button("td-form-remove", "times", "Remove this item", lambda: owner.remove(self)),
        ]
        self.widget.add_class("td-form-item")
        self.widget.add_class("td-form-bare")
        self.draw()

    def count(self, number: int) -> None:
        """Say which item it is, the first is 1."""
        self._number.value = f"{number}."

    def draw(self) -> None:
        """Number, field, buttons."""
        self._line.children = (self._number, self.field.widget, *self.buttons(), *self._ends)


class ArrayField:
    """Items that can be added, taken away and moved; `make` makes the field of one, `True` says by hand."""

    def __init__(self, heading: str, make: Callable[[bool], Field], raw: Callable[[], RawField]) -> None:
        self._make = make
        self._raw = raw
        self._items: list[Item] = []
        self._watchers = Watchers()
        self._rows = made(ipywidgets.VBox)
        self._rows.add_class("td-form-items")
        add = button("td-form-add", "plus", f"Add to {heading}", self.add, "Add")
        items = made(ipywidgets.VBox, [self._rows, add])
        items.add_class("td-form-list-items")
        self.widget = made(ipywidgets.HBox, [label(heading, "td-form-heading"), items])
        self.widget.add_class("td-form-list")

    def add(self) -> None:
        """A new item at the end, not filled in."""
        self._append(UNSET, by_hand=True)
        self._draw()
        self._watchers.tell()

    def _append(self, value: Any, *, by_hand: bool = False) -> None:
        item = Item(self._make(by_hand), self._raw, self)
        if value is not UNSET:
            item.set(value)
        item.watch(self._watchers.tell)
        self._items.append(item)

    def remove(self, item: Item) -> None:
        """Take an item away."""
        if item in self._items:
            self._items.remove(item)
            self._draw()
            self._watchers.tell()

    def move(self, item: Item, steps: int) -> None:
        """Move an item by so many places; at the end of the list it stays."""
        place = self._items.index(item)
        if 0 <= place + steps < len(self._items):
            self._items.insert(place + steps, self._items.pop(place))
            self._draw()
            self._watchers.tell()

    def _draw(self) -> None:
        for number, item in enumerate(self._items, 1):
            item.count(number)
        self._rows.children = [item.widget for item in self._items]

    def _sent(self) -> list[Item]:
        """The items that are filled in."""
        return [item for item in self._items if item.get() is not UNSET]

    def get(self) -> Any:
        """The items that are filled in."""
        return [value for item in self._items if (value := item.get()) is not UNSET]

    def set(self, value: Any) -> None:
        """Show these items."""
        self._items = []
        for item in value if isinstance(value, list | tuple) else []:
            self._append(item)
        self._draw()
        self._watchers.tell()

    def faults(self) -> list[Problem]:
        """What was typed into the items and is no value there."""
        return [
            fault for place, item in enumerate(self._sent()) for fault in beneath(f"[{place}]", item.faults())
        ]

    def place(self, problems: list[Problem]) -> list[Problem]:
        """Show each problem at the item it belongs to."""
        left = problems
        sent = self._sent()
        for item in self._items:
            step = f"[{sent.index(item)}]" if item in sent else ""
            beside = [inner for one in left if step and (inner := within(step, one)) is not None]
            left = [one for one in left if not step or within(step, one) is None]
            item.place(beside)
        return left

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

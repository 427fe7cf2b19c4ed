"""An object: a row for each property, and a place for names that the schema does not list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import ipywidgets

from tooldeck.core.parameters import Problem
from tooldeck.notebook.forms.field import UNSET, Watchers, beneath, label, made, within
from tooldeck.notebook.forms.map import MapField
from tooldeck.notebook.forms.more import MoreRows
from tooldeck.notebook.forms.raw import RawField
from tooldeck.notebook.forms.row import Row

__all__ = ["ObjectField", "Property"]

_OTHER = "other arguments"


class Property(NamedTuple):
    """A property that may get a row."""

    name: str
    shown: bool
    """Whether it has its row from the start; the others are found by a search."""
    make: Callable[[], Row]
    told: bool = False
    """Whether its only value is chosen outside of the object, so that no row of it is drawn."""


class ObjectField:
    """Rows under a heading; without `heading` there is none.

    `more` holds further names of a kind that the schema gives; without it they go into a box of JSON, which
    appears with the first of them, or at once when `open_ended`. `bare` says that an object without any
    property is a value.
    """

    def __init__(
        self,
        heading: str,
        known: Sequence[Property],
        more: MapField | None = None,
        *,
        open_ended: bool = False,
        bare: bool = False,
    ) -> None:
        self._known = {one.name: one for one in known}
        self._rows: dict[str, Row] = {}
        self._more = more
        self._other: Row | None = None
        self._bare = bare
        self._given = False
        self._watchers = Watchers()
        self._heading = [label(heading, "td-form-heading")] if heading else []
        self._hidden = MoreRows(self._reveal) if any(not one.shown for one in known) else None
        for one in known:
            if one.shown:
                self._make(one.name)
        if more is not None:
            more.watch(self._watchers.tell)
        elif open_ended:
            self._take_others()
        self.widget = made(ipywidgets.VBox)
        self.widget.add_class("td-form-group" if heading else "td-form-rows")
        self._draw()

    @property
    def rows(self) -> list[Row]:
        """The rows that there are, in the order of the schema."""
        return [self._rows[name] for name in self._known if name in self._rows]

    def explain(self, words: str) -> None:
        """Show what the object is for, under its heading."""
        self._heading.append(label(words, "td-form-help"))
        self._draw()

    def _make(self, name: str) -> Row:
        row = self._rows.get(name)
        if row is None:
            row = self._rows[name] = self._known[name].make()
            row.watch(self._watchers.tell)
        return row

    def _reveal(self, name: str) -> None:
        self._make(name)
        self._draw()

    def _take_others(self) -> Row:
        if self._other is None:
            raw = RawField(_OTHER, "an object", dict)
            self._other = Row(_OTHER, raw, {}, lambda: raw, required=False)
            self._other.watch(self._watchers.tell)
        return self._other

    def _draw(self) -> None:
        rows = [row.widget for row in self.rows if not self._known[row.name].told]
        parts = [*self._heading, *rows]
        if self._hidden is not None:
            self._hidden.offer([name for name in self._known if name not in self._rows])
            parts.append(self._hidden.widget)
        if self._more is not None:
            parts.append(self._more.widget)
        if self._other is not None:
            parts.append(self._other.widget)
        self.widget.children = parts

    def get(self) -> Any:
        """The properties that are sent; unset for a group in which nobody filled in anything."""
        other = self._other.get() if self._other is not None else UNSET
        sent: dict[str, Any] = dict(other) if isinstance(other, Mapping) else {}
        sent.update(self._more.get() if self._more is not None else {})
        for row in self.rows:
            value = row.get()
            if value is not UNSET:
                sent[row.name] = value
        return sent if sent or self._given or self._bare else UNSET

    def set(self, value: Any) -> None:
        """Show an object."""
        self._given = isinstance(value, Mapping)
        given: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        for name in self._known:
            if name in given or name in self._rows:
                self._make(name).set(given.get(name, UNSET))
        others = {name: item for name, item in given.items() if name not in self._known}
        if self._more is not None:
            self._more.set(others)
        elif others or self._other is not None:
            self._take_others().set(others or UNSET)
        self._draw()

    def faults(self) -> list[Problem]:
        """What was typed into the rows and is no value there."""
        found = [one for row in self.rows for one in beneath(row.name, row.faults())]
        if self._more is not None:
            found += self._more.faults()
        if self._other is not None:
            found += [Problem("", f"{_OTHER}: {one.wanted}") for one in self._other.faults()]
        return found

    def place(self, problems: list[Problem]) -> list[Problem]:
        """Show each problem at the row it belongs to."""
        beside: dict[str, list[Problem]] = {}
        left: list[Problem] = []
        drawn = [one.name for one in self._known.values() if not one.told]
        longest_first = sorted(drawn, key=len, reverse=True)
        for problem in problems:
            for name in longest_first:
                inner = within(name, problem)
                if inner is not None:
                    beside.setdefault(name, []).append(inner)
                    break
            else:
                left.append(problem)
        for name in self._known:
            if name in beside or name in self._rows:
                self._make(name).place(beside.get(name, []))
        if any(name in beside for name in self._known):
            self._draw()
        return left if self._more is None else self._more.place(left)

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

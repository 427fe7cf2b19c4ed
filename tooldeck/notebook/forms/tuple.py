"""A list whose places each have a kind of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from tooldeck.core.parameters import Problem
from tooldeck.notebook.forms.array import ArrayField
from tooldeck.notebook.forms.field import UNSET, Watchers, beneath, label, made, within
from tooldeck.notebook.forms.row import Row

__all__ = ["TupleField"]


class TupleField:
    """A row for each place; `rest` holds the items that come after them."""

    def __init__(self, heading: str, rows: Sequence[Row], rest: ArrayField | None) -> None:
        self._rows = list(rows)
        self._rest = rest
        self._given = False
        self._watchers = Watchers()
        for part in (*self._rows, *([] if rest is None else [rest])):
            part.watch(self._watchers.tell)
        shown = [row.widget for row in self._rows] + ([] if rest is None else [rest.widget])
        self._heading = [label(heading, "td-form-heading")] if heading else []
        self.widget = made(ipywidgets.VBox, [*self._heading, *shown])
        self.widget.add_class("td-form-group")

    def explain(self, words: str) -> None:
        """Show what the list is for, under its heading."""
        shown = self.widget.children[len(self._heading) :]
        self._heading.append(label(words, "td-form-help"))
        self.widget.children = [*self._heading, *shown]

    def get(self) -> Any:
        """The items up to the last that is filled in; unset when none is."""
        values = [row.get() for row in self._rows]
        rest = self._rest.get() if self._rest is not None else []
        while not rest and values and values[-1] is UNSET:
            values.pop()
        found = [None if value is UNSET else value for value in values] + rest
        return found if found or self._given else UNSET

    def set(self, value: Any) -> None:
        """Show these items."""
        self._given = isinstance(value, list | tuple)
        items = list(value) if self._given else []
        for place, row in enumerate(self._rows):
            row.set(items[place] if place < len(items) else UNSET)
        if self._rest is not None:
            self._rest.set(items[len(self._rows) :])

    def faults(self) -> list[Problem]:
        """What is no value in its place, and places that were passed over."""
        found: list[Problem] = []
        sent = self.get()
        count = len(sent) if isinstance(sent, list) else 0
        for place, row in enumerate(self._rows):
            if place < count and row.get() is UNSET:
                found.append(Problem(f"[{place}]", "is needed, since an item after it is given"))
            found += beneath(f"[{place}]", row.faults())
        for fault in self._rest.faults() if self._rest is not None else []:
            found.append(_shifted(fault, len(self._rows)))
        return found

    def place(self, problems: list[Problem]) -> list[Problem]:
        """Show each problem at the place it belongs to."""
        left = problems
        for place, row in enumerate(self._rows):
            step = f"[{place}]"
            row.place([inner for one in left if (inner := within(step, one)) is not None])
            left = [one for one in left if within(step, one) is None]
        if self._rest is None:
            return left
        return self._rest.place([_shifted(one, -len(self._rows)) for one in left])

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)


def _shifted(problem: Problem, places: int) -> Problem:
    """The problem as it is called when the list begins so many places earlier."""
    number, bracket, after = problem.path[1:].partition("]")
    if not problem.path.startswith("[") or not bracket or not number.isdecimal():
        return problem
    return Problem(f"[{int(number) + places}]{after}", problem.wanted, problem.got)

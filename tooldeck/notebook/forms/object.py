"""An object with known properties: a row for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets

from tooldeck.guards.text import visible
from tooldeck.notebook.forms.field import UNSET, Watchers
from tooldeck.notebook.forms.row import Row

__all__ = ["ObjectField"]


class ObjectField:
    """Rows under a heading; without `label` there is no heading."""

    def __init__(self, label: str, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        self._watchers = Watchers()
        for row in self.rows:
            row.watch(self._watchers.tell)
        heading = [ipywidgets.Label(visible(label))] if label else []
        self.widget = ipywidgets.VBox([*heading, *(row.widget for row in self.rows)])
        self.widget.add_class("td-form-group" if label else "td-form-rows")

    def get(self) -> Any:
        """The properties that are sent; unset for a group in which nobody filled in anything."""
        values = {row.name: row.get() for row in self.rows}
        sent = {name: value for name, value in values.items() if value is not UNSET}
        return sent or UNSET

    def set(self, value: Any) -> None:
        """Show an object."""
        given: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        for row in self.rows:
            row.set(given.get(row.name, UNSET))

    def fault(self) -> str:
        """The first fault of a property."""
        faults = [f"{row.name}: {row.fault()}" for row in self.rows if row.fault()]
        return faults[0] if faults else ""

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

    def leaves(self) -> list[Row]:
        """All rows, those of inner groups first."""
        found: list[Row] = []
        for row in self.rows:
            if isinstance(row.field, ObjectField):
                found += row.field.leaves()
            found.append(row)
        return found

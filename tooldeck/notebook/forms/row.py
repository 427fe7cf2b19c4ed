"""One property of an object on screen: its field, its help, its problem, and whether it is sent at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets

from tooldeck.guards.text import json_text, visible
from tooldeck.notebook.forms.field import UNSET, Field, Watchers

__all__ = ["Row"]


class Row:
    """A property. An optional one is left out until somebody touches it, and can be left out again."""

    def __init__(
        self, name: str, field: Field, schema: Mapping[str, Any], *, required: bool, path: str
    ) -> None:
        self.name = name
        self.path = path
        """Where it is, as problems name it."""
        self.field = field
        self.required = required
        self._default = schema.get("default", UNSET)
        self._touched = False
        self._setting = False
        self._watchers = Watchers()
        self._help = ipywidgets.Label(visible(_help(schema, required=required)))
        self._help.add_class("td-form-help")
        self._problem = ipywidgets.Label()
        self._problem.add_class("td-form-problem")
        self._clear = ipywidgets.Button(
            icon="times",
            tooltip=f"Leave {visible(name)} out of the call",
            layout={"width": "30px"},
        )
        self._clear.add_class("td-form-clear")
        self._clear.on_click(lambda _: self.clear())
        line = ipywidgets.HBox([field.widget, self._clear])
        line.add_class("td-form-line")
        self.widget = ipywidgets.VBox([line, self._help, self._problem])
        self.widget.add_class("td-form-row")
        self.show_problems([])
        self.clear()
        field.watch(self._changed)

    def _changed(self) -> None:
        if not self._setting:
            self._touched = True
        self._draw()
        self._watchers.tell()

    def _draw(self) -> None:
        left_out = not self.required and not self._touched
        (self.widget.add_class if left_out else self.widget.remove_class)("td-form-left-out")
        self._clear.layout.visibility = "hidden" if self.required or not self._touched else "visible"

    def clear(self) -> None:
        """Leave it out; the default is shown as what then holds."""
        self._show(self._default)
        self._touched = False
        self._draw()
        self._watchers.tell()

    def _show(self, value: Any) -> None:
        self._setting = True
        try:
            self.field.set(value)
        finally:
            self._setting = False

    def get(self) -> Any:
        """The value to send, or `UNSET`."""
        return self.field.get() if self.required or self._touched else UNSET

    def set(self, value: Any) -> None:
        """Show and send a value; `UNSET` leaves it out."""
        if value is UNSET:
            self.clear()
            return
        self._show(value)
        self._touched = True
        self._draw()
        self._watchers.tell()

    def fault(self) -> str:
        """Why what was typed cannot be sent."""
        return self.field.fault() if self.required or self._touched else ""

    def show_problems(self, problems: list[str]) -> None:
        """Say beside the field what is wrong with it; none takes the words away."""
        self._problem.value = visible("; ".join(problems))
        self._problem.layout.display = None if problems else "none"

    def owns(self, path: str) -> bool:
        """Whether a problem at `path` belongs here."""
        return path == self.path or path.startswith((f"{self.path}.", f"{self.path}["))

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)


def _help(schema: Mapping[str, Any], *, required: bool) -> str:
    """The description, and what holds when nothing is sent."""
    words = str(schema.get("description") or "").strip()
    if required or "default" not in schema:
        return words
    try:
        default = json_text(schema["default"], indent=None)
    except (TypeError, ValueError, RecursionError):
        default = repr(schema["default"])
    note = f"default {default}" if len(default) <= 40 else "has a default"
    return f"{words} ({note})" if words else note

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
        # Every ipywidget is a message and a model on the page, so that what is not needed is not made.
        self._clear = None if required else _clear_button(name, self.clear)
        line = ipywidgets.HBox([field.widget] if self._clear is None else [field.widget, self._clear])
        line.add_class("td-form-line")
        words = _help(schema, required=required)
        self._parts = [line, *([_label(words, "td-form-help")] if words else [])]
        self._problem: Any = None
        self.widget = ipywidgets.VBox(self._parts)
        self.widget.add_class("td-form-row")
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
        if self._clear is not None:
            self._clear.layout.visibility = "visible" if self._touched else "hidden"

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
        if not problems:
            self.widget.children = self._parts
            return
        if self._problem is None:
            self._problem = _label("", "td-form-problem")
        self._problem.value = visible("; ".join(problems))
        self.widget.children = [*self._parts, self._problem]

    def owns(self, path: str) -> bool:
        """Whether a problem at `path` belongs here."""
        return path == self.path or path.startswith((f"{self.path}.", f"{self.path}["))

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)


def _label(text: str, kind: str) -> Any:
    label = ipywidgets.Label(visible(text))
    label.add_class(kind)
    return label


def _clear_button(name: str, clear: Callable[[], None]) -> Any:
    """The small button that leaves a property out of the call."""
    button = ipywidgets.Button(
        icon="times", tooltip=f"Leave {visible(name)} out of the call", layout={"width": "30px"}
    )
    button.add_class("td-form-clear")
    button.on_click(lambda _: clear())
    return button


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

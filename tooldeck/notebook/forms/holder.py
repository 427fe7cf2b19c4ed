"""A field in its place: what it cannot show is edited as JSON there, and its problems stand beneath it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets
from traitlets import TraitError

from tooldeck.core.parameters import Problem
from tooldeck.guards.text import visible
from tooldeck.notebook.forms.field import UNSET, Explained, Field, Watchers, button, label, made, same
from tooldeck.notebook.forms.raw import RawField

__all__ = ["Holder"]

_MOST = 300
"""Single values within one value; more are edited as JSON, since each would need a control of its own."""


class Holder:
    """Holds a field; `raw` makes the editor for values that the field cannot give back as they were given."""

    def __init__(self, field: Field, raw: Callable[[], RawField], help_words: str = "") -> None:
        self._own = field
        self._make_raw = raw
        self._raw: RawField | None = None
        self.field: Field = field
        """The field that is on screen."""
        self._setting = False
        self._watchers = Watchers()
        self._line = made(ipywidgets.HBox, [field.widget])
        self._line.add_class("td-form-line")
        self._parts = [self._line]
        if help_words and isinstance(field, Explained):
            field.explain(help_words)
        elif help_words:
            self._parts.append(label(help_words, "td-form-help"))
        self._problem: Any = None
        self._back: Any = None
        self.widget = made(ipywidgets.VBox, self._parts)
        self.widget.add_class("td-form-row")
        field.watch(self._changed)

    def _changed(self) -> None:
        if not self._setting:
            self.by_hand()
        self._watchers.tell()

    def by_hand(self) -> None:
        """Somebody changed the field on screen."""

    def buttons(self) -> list[Any]:
        """What stands at the end of the line."""
        return [] if self._back is None or self.field is not self._raw else [self._back]

    def draw(self) -> None:
        """Put the field and the buttons of now on screen."""
        self._line.children = (self.field.widget, *self.buttons())

    def get(self) -> Any:
        """The value on screen, or `UNSET`."""
        return self.field.get()

    def set(self, value: Any) -> None:
        """Show a value; nothing for `UNSET`."""
        self.show(value)
        self._watchers.tell()

    def show(self, value: Any, *, or_json: bool = True) -> bool:
        """Show a value in the field, else as JSON if `or_json`; False when it is shown in neither."""
        self._setting = True
        try:
            if self._fits(value):
                self.field = self._own
            elif or_json:
                self._own.set(UNSET)
                self._show_raw(value)
            else:
                self._own.set(UNSET)
                self.field = self._own
                return False
        finally:
            self._setting = False
            self.draw()
        return True

    def _fits(self, value: Any) -> bool:
        """Show a value in the field of the schema; whether it comes out as it went in."""
        if value is not UNSET and _weight(value) > _MOST:
            return False
        try:
            self._own.set(value)
        except (TypeError, ValueError, OverflowError, TraitError):
            return False
        return value is UNSET or same(self._own.get(), value)

    def _show_raw(self, value: Any) -> None:
        if self._raw is None:
            self._raw = self._make_raw()
            self._raw.watch(self._changed)
            self._back = button(
                "td-form-back", "undo", "Throw this JSON away and show the fields again", self._show_fields
            )
        self._raw.set(value)
        self.field = self._raw

    def _show_fields(self) -> None:
        self.field = self._own
        self.draw()
        self._changed()

    def faults(self) -> list[Problem]:
        """What was typed and cannot be sent."""
        return self.field.faults()

    def place(self, problems: list[Problem]) -> list[Problem]:
        """Say what is wrong beside the parts of the field, the rest beneath it; nothing is left over."""
        own = self.field.place(problems)
        if not own:
            self.widget.children = self._parts
            return []
        if self._problem is None:
            self._problem = label("", "td-form-problem")
        self._problem.value = visible("; ".join(map(str, own)))
        self.widget.children = [*self._parts, self._problem]
        return []

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)


def _weight(value: Any) -> int:
    """How many single values there are within a value; stops counting just above the limit."""
    level, seen = [value], 0
    while level and seen <= _MOST:
        inner = level.pop()
        seen += 1
        if isinstance(inner, Mapping):
            level += inner.values()
        elif isinstance(inner, list | tuple):
            level += inner
    return seen

"""A field that may also be null."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from tooldeck.core.parameters import Problem
from tooldeck.notebook.forms.field import UNSET, Field, Watchers, made

__all__ = ["NullableField"]


class NullableField:
    """Another field with a switch for null beside it."""

    def __init__(self, inner: Field) -> None:
        self._inner = inner
        self._null = made(ipywidgets.Checkbox, value=False, description="nothing (null)", indent=False)
        self._null.add_class("td-form-null")
        self.widget = made(ipywidgets.HBox, [inner.widget, self._null])
        self.widget.add_class("td-form-nullable")
        self._watchers = Watchers()
        self._null.observe(self._watchers.tell, "value")
        inner.watch(self._typed)

    def _typed(self) -> None:
        """Who fills in the field wants it to count."""
        if self._null.value and self._inner.get() is not UNSET:
            self._null.value = False
        else:
            self._watchers.tell()

    def get(self) -> Any:
        """None when switched to null, else the value of the field."""
        return None if self._null.value else self._inner.get()

    def set(self, value: Any) -> None:
        """Show a value, or null."""
        self._inner.set(UNSET if value is None else value)
        self._null.value = value is None

    def faults(self) -> list[Problem]:
        """The faults of the field, unless it is switched off."""
        return [] if self._null.value else self._inner.faults()

    def place(self, problems: list[Problem]) -> list[Problem]:
        """Problems belong to the field."""
        return self._inner.place(problems)

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

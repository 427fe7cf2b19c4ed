"""A field that may also be null."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from tooldeck.notebook.forms.field import UNSET, Field, Watchers

__all__ = ["NullableField"]


class NullableField:
    """Another field with a switch for null beside it."""

    def __init__(self, inner: Field) -> None:
        self._inner = inner
        self._null = ipywidgets.Checkbox(
            value=False, description="nothing (null)", indent=False, layout=ipywidgets.Layout(width="auto")
        )
        self.widget = ipywidgets.HBox(
            [inner.widget, self._null], layout=ipywidgets.Layout(flex="1 1 auto", flex_flow="row wrap")
        )
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

    def fault(self) -> str:
        """The fault of the field, unless it is switched off."""
        return "" if self._null.value else self._inner.fault()

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

"""A field that is made when somebody opens it: for what refers to itself, lies deep, or is one of many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from tooldeck.core.parameters import Problem
from tooldeck.guards.text import json_text
from tooldeck.notebook.forms.field import UNSET, Field, Watchers, button, label, made
from tooldeck.notebook.forms.holder import Holder
from tooldeck.notebook.forms.raw import RawField

__all__ = ["LazyField"]

_LINE = 60
"""Characters of the value that stand beside a closed field."""


class LazyField:
    """A button in the place of a field. A value that it is given waits as it is until the field is opened."""

    def __init__(self, heading: str, make: Callable[[], Field], raw: Callable[[], RawField]) -> None:
        self._heading = heading
        self._make = make
        self._raw = raw
        self._inner: Holder | None = None
        self._open = False
        self._held: Any = UNSET
        self._watchers = Watchers()
        words = heading or "item"
        self._button = button("td-form-open", "caret-right", f"Open or close {words}", self._toggle, words)
        self._told = label("", "td-form-note")
        line = made(ipywidgets.HBox, [self._button, self._told])
        self.widget = made(ipywidgets.VBox, [line])
        self.widget.add_class("td-form-lazy")
        self._line = line

    def _toggle(self) -> None:
        self._show(opened=not self._open)

    def _show(self, *, opened: bool) -> None:
        self._open = opened
        if opened and self._inner is None:
            self._inner = Holder(self._make(), self._raw)
            if self._held is not UNSET:
                self._inner.set(self._held)
            self._held = UNSET
            self._inner.watch(self._watchers.tell)
        self._button.icon = "caret-down" if opened else "caret-right"
        self._tell()
        inside = [self._inner.widget] if opened and self._inner is not None else []
        self.widget.children = [self._line, *inside]

    def _tell(self) -> None:
        value = UNSET if self._open else self.get()
        text = "" if value is UNSET else json_text(value, indent=None)
        self._told.value = text if len(text) <= _LINE else f"{text[:_LINE]}…"

    def get(self) -> Any:
        """The value, or unset."""
        return self._held if self._inner is None else self._inner.get()

    def set(self, value: Any) -> None:
        """Keep a value for the one who opens the field; an open field shows it."""
        if self._inner is None:
            self._held = value
        else:
            self._inner.set(value)
        if value is UNSET:
            self._show(opened=False)
        else:
            self._tell()

    def faults(self) -> list[Problem]:
        """The faults of the field; nothing was typed into one that was never opened."""
        return [] if self._inner is None else self._inner.faults()

    def place(self, problems: list[Problem]) -> list[Problem]:
        """Open the field for the problems inside, so that they are seen."""
        if any(one.path for one in problems) and not self._open and self.get() is not UNSET:
            self._show(opened=True)
        if self._inner is None:
            return problems
        return self._inner.place(problems)

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

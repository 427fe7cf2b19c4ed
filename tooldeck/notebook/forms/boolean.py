"""Yes or no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from tooldeck.notebook.forms.field import UNSET, Watchers, labelled

__all__ = ["BooleanField"]


class BooleanField:
    """A checkbox."""

    def __init__(self, label: str) -> None:
        self.widget = labelled(ipywidgets.Checkbox, label, value=False, indent=False)
        self._watchers = Watchers()
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """Whether it is checked."""
        return self.widget.value

    def set(self, value: Any) -> None:
        """Check it or not; no value is no check."""
        self.widget.value = value is not UNSET and bool(value)

    def fault(self) -> str:
        """Both are fine."""
        return ""

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

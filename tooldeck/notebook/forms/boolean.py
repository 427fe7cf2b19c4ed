"""Yes or no."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tooldeck.notebook.forms.field import UNSET, Leaf, labelled

__all__ = ["BooleanField"]


class BooleanField(Leaf):
    """A checkbox."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.widget = labelled(ipywidgets.Checkbox, label, value=False, indent=False)
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """Whether it is checked."""
        return self.widget.value

    def set(self, value: Any) -> None:
        """Check it or not; no value is no check."""
        self.widget.value = value is not UNSET and bool(value)

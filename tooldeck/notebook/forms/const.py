"""The one value that a schema allows."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tooldeck.notebook.forms.field import Leaf, labelled

__all__ = ["ConstField"]


class ConstField(Leaf):
    """A value that is shown and cannot be changed."""

    def __init__(self, label: str, shown: str, value: Any) -> None:
        super().__init__()
        self._value = value
        self.widget = labelled(ipywidgets.Text, label, value=shown, disabled=True)

    def get(self) -> Any:
        """The value."""
        return self._value

    def set(self, value: Any) -> None:
        """It stays as it is."""

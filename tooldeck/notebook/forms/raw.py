"""JSON text, for values that no other kind of field fits."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import ipywidgets

from tooldeck.guards.text import json_text
from tooldeck.notebook.forms.field import UNSET, Watchers, labelled

__all__ = ["RawField"]


class RawField:
    """A box for any JSON value."""

    def __init__(self, label: str, hint: str = "any JSON value") -> None:
        self.widget = labelled(ipywidgets.Textarea, label, placeholder=f"JSON: {hint}", rows=3)
        self.widget.add_class("td-form-json")
        self._watchers = Watchers()
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """The value; unset while the box is empty, the text itself when it is no JSON."""
        text = self.widget.value
        if not text.strip():
            return UNSET
        try:
            return json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError):
            return text

    def set(self, value: Any) -> None:
        """Show a value."""
        self.widget.value = "" if value is UNSET else json_text(value)

    def fault(self) -> str:
        """Text that is no JSON is a fault."""
        text = self.widget.value
        if not text.strip():
            return ""
        try:
            json.loads(text, parse_constant=_refuse)
        except json.JSONDecodeError as fault:
            return f"not JSON yet: {fault.msg} in line {fault.lineno}, column {fault.colno}"
        except (ValueError, RecursionError) as fault:
            return str(fault)
        return ""

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")

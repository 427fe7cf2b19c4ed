"""JSON text, for values that no other kind of field fits."""

from __future__ import annotations

import json
from typing import Any

import ipywidgets

from tooldeck.guards.text import json_text
from tooldeck.notebook.forms.field import UNSET, Leaf, labelled

__all__ = ["RawField"]


class RawField(Leaf):
    """A box for any JSON value, or for one of a given Python type."""

    def __init__(self, label: str, hint: str = "any JSON value", kind: type = object) -> None:
        super().__init__()
        self._hint = hint
        self._kind = kind
        self.widget = labelled(ipywidgets.Textarea, label, placeholder=f"JSON: {hint}", rows=3)
        self.widget.add_class("td-form-json")
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
        text = "" if value is UNSET else json_text(value)
        self.widget.rows = min(16, max(3, text.count("\n") + 1))
        self.widget.value = text

    def fault(self) -> str:
        """Text that is no JSON is a fault."""
        text = self.widget.value
        if not text.strip():
            return ""
        try:
            value = json.loads(text, parse_constant=_refuse)
        except json.JSONDecodeError as fault:
            words = f"not JSON yet: {fault.msg} in line {fault.lineno}, column {fault.colno}"
            return f'{words}; a text needs quotes: "…"' if text.strip()[0].isalpha() else words
        except (ValueError, RecursionError) as fault:
            return str(fault)
        return "" if isinstance(value, self._kind) else f"must be {self._hint}"


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")

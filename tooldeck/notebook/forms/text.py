"""Text: one line, several lines, or hidden as it is typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ipywidgets

from tooldeck.notebook.forms.field import UNSET, Leaf, labelled, made
from tooldeck.notebook.forms.text_rules import HINTS, text_fault

__all__ = ["TextField"]

_ONE_LINE = 120
"""Characters up to which a text with a limit is taken for one line."""
_LONG = frozenset(
    {"body", "code", "content", "message", "patch", "prompt", "script", "source", "sql", "text"}
)
"""Names of parameters that usually hold several lines; it only decides the height of the box."""


class TextField(Leaf):
    """A string. A line becomes a box of several lines when it is given a text that needs one."""

    def __init__(self, label: str, schema: Mapping[str, Any], name: str) -> None:
        super().__init__()
        self._label = label
        self._schema = schema
        self._hidden = schema.get("format") == "password" or schema.get("writeOnly") is True
        self._hint = _hint(schema)
        self.widget = made(ipywidgets.VBox)
        self.widget.add_class("td-form-fill")
        self._touched = False
        self._use("", several=_several(schema, name))

    def _use(self, text: str, *, several: bool) -> None:
        kind = ipywidgets.Password if self._hidden else ipywidgets.Textarea if several else ipywidgets.Text
        more = {"rows": min(12, max(3, text.count("\n") + 1))} if several and not self._hidden else {}
        self._several = several
        self._control = labelled(kind, self._label, value=text, placeholder=self._hint, **more)
        self._control.observe(self._changed, "value")
        self.widget.children = (self._control,)

    def _changed(self, _change: Any) -> None:
        self._touched = True
        self._watchers.tell()

    def get(self) -> Any:
        """The text; unset while the box is empty and was never typed in."""
        return self._control.value if self._control.value or self._touched else UNSET

    def set(self, value: Any) -> None:
        """Show a text."""
        text = "" if value is UNSET or value is None else value if isinstance(value, str) else str(value)
        if "\n" in text and not self._several and not self._hidden:
            self._use(text, several=True)
        else:
            self._control.value = text
        self._touched = value is not UNSET
        self._watchers.tell()

    def fault(self) -> str:
        """A text of another format than the schema's is a fault."""
        text = self._control.value
        return text_fault(self._schema, text) if text else ""


def _several(schema: Mapping[str, Any], name: str) -> bool:
    if schema.get("format") == "json":
        return True
    if "format" in schema or "pattern" in schema:
        return False
    most = schema.get("maxLength")
    if isinstance(most, int):
        return most > _ONE_LINE
    return name.lower() in _LONG or "contentMediaType" in schema


def _hint(schema: Mapping[str, Any]) -> str:
    """What is shown in the empty box."""
    examples = schema.get("examples")
    if isinstance(examples, list) and examples and isinstance(examples[0], str):
        return f"e.g. {examples[0]}"
    return HINTS.get(str(schema.get("format")), "")

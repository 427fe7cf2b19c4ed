"""One property of an object on screen: its field, its help, its problem, and whether it is sent at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tooldeck.core.parameters import Problem
from tooldeck.guards.text import json_text
from tooldeck.notebook.forms.field import UNSET, Field, button
from tooldeck.notebook.forms.holder import Holder
from tooldeck.notebook.forms.raw import RawField

__all__ = ["Row"]


class Row(Holder):
    """A property. An optional one is left out until somebody touches it, and can be left out again."""

    def __init__(
        self,
        name: str,
        field: Field,
        schema: Mapping[str, Any],
        raw: Callable[[], RawField],
        *,
        required: bool,
    ) -> None:
        super().__init__(field, raw, _help(schema, required=required))
        self.name = name
        self.required = required
        self._default = schema.get("default", UNSET)
        self._touched = False
        self._clear: Any = None
        self._send: Any = None
        self.clear()

    def by_hand(self) -> None:
        """Who changes an optional property wants it to be sent."""
        self._touched = True
        self.draw()

    def buttons(self) -> list[Any]:
        """The button that leaves it out, or the one that sends what is shown though nobody changed it."""
        if self.required:
            return super().buttons()
        # Every button is a message and a model on the page, so that what is not needed is not made.
        if self._touched:
            if self._clear is None:
                self._clear = button("td-form-clear", "times", f"Leave {self.name} out", self.clear)
            return [self._clear]
        if self.field.get() in (UNSET, [], {}) and not self._many():
            return []
        if self._send is None:
            self._send = button("td-form-send", "check", f"Send {self.name} as it is now", self._take)
        return [self._send]

    def draw(self) -> None:
        """Show what will be sent as such."""
        left_out = not self.required and not self._touched
        (self.widget.add_class if left_out else self.widget.remove_class)("td-form-left-out")
        super().draw()

    def _many(self) -> bool:
        """Whether the default has parts, which would fill the page for nothing."""
        return isinstance(self._default, list | dict) and bool(self._default)

    def _take(self) -> None:
        if self._many():
            self.set(self._default)
            return
        self.by_hand()
        self._watchers.tell()

    def clear(self) -> None:
        """Leave it out; a default of one value is shown as what then holds, unless it fits no field."""
        self._touched = False
        hidden = self._many() and not self.required
        self.show(UNSET if hidden else self._default, or_json=False)
        self._watchers.tell()

    def get(self) -> Any:
        """The value to send, or `UNSET`."""
        return self.field.get() if self.required or self._touched else UNSET

    def set(self, value: Any) -> None:
        """Show and send a value; `UNSET` leaves it out."""
        if value is UNSET:
            self.clear()
            return
        self._touched = True
        super().set(value)

    def faults(self) -> list[Problem]:
        """Why what was typed cannot be sent."""
        return self.field.faults() if self.required or self._touched else []


def _help(schema: Mapping[str, Any], *, required: bool) -> str:
    """The description, and what holds when nothing is sent."""
    words = str(schema.get("description") or "").strip()
    notes = [word for word in ("deprecated",) if schema.get(word) is True]
    if not required and "default" in schema:
        try:
            default = json_text(schema["default"], indent=None)
        except (TypeError, ValueError, RecursionError):
            default = repr(schema["default"])
        notes.append(f"default {default}" if len(default) <= 40 else "has a default")
    note = ", ".join(notes)
    return f"{words} ({note})" if words and note else words or note

"""A line of text for which somebody has suggestions, while it is typed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

import ipywidgets

from tooldeck.guards.text import one_line
from tooldeck.notebook.forms.field import UNSET, Leaf, labelled

__all__ = ["Suggest", "SuggestedField"]

Suggest = Callable[[str, str], "Future[Sequence[str]]"]
"""Gives suggestions for the property of a name, for the text so far. Must not block."""
_MOST = 100
"""Suggestions that are offered at once."""


class SuggestedField(Leaf):
    """A string with suggestions beneath it; anything may be typed all the same.

    Whoever suggests is asked about one text at a time, and then about the latest: typing is never slowed
    down. What it fails at is no fault of the text.
    """

    def __init__(self, label: str, name: str, suggest: Suggest) -> None:
        super().__init__()
        self._name = name
        self._suggest = suggest
        self._lock = threading.Lock()
        self._asking = False
        self._asked: str | None = None
        self._touched = False
        self.widget = labelled(ipywidgets.Combobox, label, ensure_option=False)
        self.widget.observe(self._changed, "value")
        self.look()

    def look(self) -> None:
        """Bring the suggestions up to date."""
        with self._lock:
            text = self.widget.value
            if self._asking or text == self._asked:
                return
            self._asking, self._asked = True, text
        try:
            found = self._suggest(self._name, text)
        except Exception:  # noqa: BLE001 - without suggestions the field is a field still
            self._asking = False
            return
        found.add_done_callback(self._found)

    def _found(self, found: Future[Sequence[str]]) -> None:
        if not found.cancelled() and found.exception() is None:
            # Only what a line shows as it is, since a choice is what is sent.
            told = [text for text in found.result()[:_MOST] if text and one_line(text) == text]
            self.widget.options = tuple(dict.fromkeys(told))
        self._asking = False
        self.look()

    def _changed(self, _change: Any) -> None:
        self._touched = True
        self._watchers.tell()
        self.look()

    def get(self) -> Any:
        """The text; unset while the box is empty and was never typed in."""
        return self.widget.value if self.widget.value or self._touched else UNSET

    def set(self, value: Any) -> None:
        """Show a text."""
        self.widget.value = value if isinstance(value, str) else ""
        self._touched = value is not UNSET
        self._watchers.tell()

"""An object whose names are the caller's own: keys that can be added and taken away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from tooldeck.core.parameters import Problem
from tooldeck.notebook.forms.field import UNSET, Field, Watchers, beneath, button, label, made, within
from tooldeck.notebook.forms.holder import Holder
from tooldeck.notebook.forms.raw import RawField

__all__ = ["Entry", "MapField"]


class Entry(Holder):
    """A key and its value."""

    def __init__(self, field: Field, raw: Callable[[], RawField], owner: MapField, key: str | None) -> None:
        super().__init__(field, raw)
        self.named = key is not None
        """Whether anybody gave a key; an empty one counts."""
        self._key = made(ipywidgets.Text, value=key or "", description="key", placeholder="key")
        self._key.add_class("td-form-key")
        self._key.observe(self._renamed, "value")
        self._remove = button("td-form-remove", "times", "Remove this key", lambda: owner.remove(self))
        self.widget.add_class("td-form-item")
        self.widget.add_class("td-form-bare")
        self.draw()

    @property
    def key(self) -> str:
        """The key as it is sent."""
        return self._key.value

    def _renamed(self, _change: Any) -> None:
        self.named = True
        self._watchers.tell()

    def draw(self) -> None:
        """Key, value, button."""
        self._line.children = (self._key, self.field.widget, *self.buttons(), self._remove)


class MapField:
    """Keys with values of one kind; `make` makes the field of one, `refuses` tells why a key cannot be."""

    def __init__(
        self,
        heading: str,
        make: Callable[[bool], Field],
        raw: Callable[[], RawField],
        refuses: Callable[[str], str],
    ) -> None:
        self._make = make
        self._raw = raw
        self._refuses = refuses
        self._entries: list[Entry] = []
        self._watchers = Watchers()
        self._rows = made(ipywidgets.VBox)
        self._rows.add_class("td-form-items")
        add = button("td-form-add", "plus", f"Add a key to {heading}", self.add, "Add key")
        entries = made(ipywidgets.VBox, [self._rows, add])
        entries.add_class("td-form-list-items")
        self.widget = made(ipywidgets.HBox, [label(heading, "td-form-heading"), entries])
        self.widget.add_class("td-form-list")

    def add(self) -> None:
        """A new entry at the end, without key and value."""
        self._append(None, UNSET, by_hand=True)
        self._draw()
        self._watchers.tell()

    def _append(self, key: str | None, value: Any, *, by_hand: bool = False) -> None:
        entry = Entry(self._make(by_hand), self._raw, self, key)
        if value is not UNSET:
            entry.set(value)
        entry.watch(self._watchers.tell)
        self._entries.append(entry)

    def remove(self, entry: Entry) -> None:
        """Take an entry away."""
        if entry in self._entries:
            self._entries.remove(entry)
            self._draw()
            self._watchers.tell()

    def _draw(self) -> None:
        self._rows.children = [entry.widget for entry in self._entries]

    def get(self) -> Any:
        """The keys that have a value."""
        values = [(entry, entry.get()) for entry in self._entries]
        return {entry.key: value for entry, value in values if value is not UNSET and entry.named}

    def set(self, value: Any) -> None:
        """Show these keys."""
        self._entries = []
        for key, item in value.items() if isinstance(value, dict) else ():
            self._append(str(key), item)
        self._draw()
        self._watchers.tell()

    def faults(self) -> list[Problem]:
        """Keys that are twice there, cannot be used or have no value, and values that are none."""
        found: list[Problem] = []
        seen: set[str] = set()
        for entry in self._entries:
            found += [Problem(entry.key, words) for words in self._key_faults(entry, seen)]
            found += beneath(entry.key, entry.faults())
            seen.add(entry.key)
        return found

    def _key_faults(self, entry: Entry, seen: set[str]) -> list[str]:
        if not entry.named:
            return [] if entry.get() is UNSET else ["needs a key"]
        words = ["the key is there twice"] if entry.key in seen else []
        words += [refused] if (refused := self._refuses(entry.key)) else []
        return words + (["has no value yet"] if entry.get() is UNSET else [])

    def place(self, problems: list[Problem]) -> list[Problem]:
        """Show each problem at the key it belongs to."""
        left = problems
        # From the end, so that of two entries with one key the second is told; the longest key first, since
        # the path of a key with a dot begins like that of another.
        backwards = self._entries[::-1]
        for entry in sorted(backwards, key=lambda one: len(one.key), reverse=True):
            beside = [within(entry.key, one) if entry.key else None for one in left]
            entry.place([inner for inner in beside if inner is not None])
            left = [one for one, inner in zip(left, beside, strict=True) if inner is None]
        return left

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change."""
        self._watchers.add(changed)

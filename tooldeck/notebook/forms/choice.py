"""One of several given values, or some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets

from tooldeck.core.vocabulary import nearest
from tooldeck.guards.text import json_text, visible
from tooldeck.notebook.forms.field import UNSET, Leaf, labelled, same

__all__ = ["ChoiceField", "SearchField", "SeveralField"]

Options = Sequence[tuple[str, Any]]
_NONE = -1


def _place(value: Any, options: Options) -> int:
    return next((place for place, (_, option) in enumerate(options) if same(option, value)), _NONE)


class ChoiceField(Leaf):
    """A dropdown. Its values may be anything JSON can hold, so it works by place, not by value."""

    def __init__(self, label: str, options: Options) -> None:
        super().__init__()
        self._options = options
        shown = [("—", _NONE), *((visible(name), place) for place, (name, _) in enumerate(options))]
        self.widget = labelled(ipywidgets.Dropdown, label, options=shown, value=_NONE)
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """The chosen value, or unset."""
        return UNSET if self.widget.value == _NONE else self._options[self.widget.value][1]

    def set(self, value: Any) -> None:
        """Choose a value; what is not on offer chooses nothing."""
        self.widget.value = _place(value, self._options)


class SearchField(Leaf):
    """A box to type in that lists what fits, for choices too many to scroll through."""

    def __init__(self, label: str, options: Options) -> None:
        super().__init__()
        self._options: dict[str, Any] = {}
        for name, value in options:
            shown = visible(name)
            self._options[
                f"{shown} ({json_text(value, indent=None)})" if shown in self._options else shown
            ] = value
        hint = f"search {len(options)} choices"
        self.widget = labelled(ipywidgets.Combobox, label, options=tuple(self._options), placeholder=hint)
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """The chosen value, unset while the box is empty, the text itself when it is no choice."""
        text = self.widget.value
        return self._options.get(text, text) if text else UNSET

    def set(self, value: Any) -> None:
        """Choose a value; what is not on offer chooses nothing."""
        found = (shown for shown, option in self._options.items() if same(option, value))
        self.widget.value = next(found, "")

    def fault(self) -> str:
        """Text that is no choice is a fault."""
        text = self.widget.value
        if not text or text in self._options:
            return ""
        close = nearest(text, list(self._options), 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        return f"{text!r} is none of the {len(self._options)} choices{hint}"


class SeveralField(Leaf):
    """A list of given values, each once, in their order."""

    def __init__(self, label: str, options: Options) -> None:
        super().__init__()
        self._options = options
        shown = [(visible(name), place) for place, (name, _) in enumerate(options)]
        self.widget = labelled(
            ipywidgets.SelectMultiple,
            label,
            options=shown,
            rows=min(6, len(options)),
            tooltip="Hold Ctrl to choose several",
        )
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """The chosen values."""
        return [self._options[place][1] for place in self.widget.value]

    def set(self, value: Any) -> None:
        """Choose values."""
        chosen = value if isinstance(value, list | tuple) else []
        places = (_place(item, self._options) for item in chosen)
        self.widget.value = tuple(dict.fromkeys(place for place in places if place != _NONE))

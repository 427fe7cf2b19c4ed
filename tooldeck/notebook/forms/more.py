"""A search among the properties of an object that are not on screen, so that hundreds need no room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ipywidgets

from tooldeck.guards.text import visible
from tooldeck.notebook.forms.field import button, labelled, made

__all__ = ["MoreRows"]


class MoreRows:
    """A search box with a button; `reveal` is called with the name that was found."""

    def __init__(self, reveal: Callable[[str], None]) -> None:
        self._reveal = reveal
        self._names: dict[str, str] = {}
        self._search = labelled(ipywidgets.Combobox, "more", options=())
        show = button("td-form-add", "plus", "Show the parameter that was found", self._found, "Show")
        self.widget = made(ipywidgets.HBox, [self._search, show])
        self.widget.add_class("td-form-more")

    def offer(self, names: Sequence[str]) -> None:
        """Search among these; without any there is nothing to see."""
        self._names = {visible(name): name for name in names}
        self._search.options = tuple(self._names)
        self._search.placeholder = f"search {len(names)} more parameters"
        (self.widget.remove_class if names else self.widget.add_class)("td-form-hidden")

    def _found(self) -> None:
        name = self._names.get(self._search.value)
        if name is not None:
            self._search.value = ""
            self._reveal(name)

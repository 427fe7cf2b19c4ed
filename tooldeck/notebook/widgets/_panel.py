"""What all widget classes share: saved forms, the greeting of a new view, deafness to state set by a page."""

import threading
from concurrent.futures import Future
from typing import Any

import anywidget

from tooldeck.guards.text import pieces
from tooldeck.notebook.pieces import box

__all__ = ["Panel", "shown_pieces"]

_MOST_PIECES = 5_000
"""Stretches of one text that a page draws one by one; a text with more is drawn as one tinted stretch."""


def shown_pieces(text: str) -> list[list[Any]]:
    """`text` for a page: stretches, each with whether it is an escape."""
    found = pieces(text)
    if len(found) > _MOST_PIECES:
        return [["".join(piece.text for piece in found), True]]
    return [[piece.text, piece.escaped] for piece in found]


class Panel(anywidget.AnyWidget):
    """Base of tooldeck's widgets. Only the kernel sets state; a page sends messages."""

    def __init__(self, **traits: Any) -> None:
        self.rendered: Future[None] = Future()
        """Done as soon as a view of this widget is on some screen."""
        self._first = threading.Lock()
        super().__init__(**traits)
        self.on_msg(self._receive)

    def text(self) -> str:
        """The whole story as plain text."""
        raise NotImplementedError

    def html(self) -> str:
        """The same as static HTML."""
        return box(self.text())

    def hello(self) -> dict[str, Any]:
        """What a new view is told beside the state, e.g. seconds left."""
        return {}

    def heard(self, content: dict[str, Any]) -> None:
        """A message of a page other than its greeting; the default ignores it."""

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Ignore state that a page wants to set."""

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        if not isinstance(content, dict):
            return
        if content.get("type") != "ready":
            self.heard(content)
            return
        with self._first:
            if not self.rendered.done():
                self.rendered.set_result(None)
        self.send({**self.hello(), "type": "hello"})

    def __repr__(self) -> str:
        return self.text()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**bundle, "text/plain": self.text(), "text/html": self.html()}, metadata

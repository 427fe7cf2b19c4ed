"""How far a call is, as its body or its server tells it, with the way to end it."""

from collections.abc import Callable
from typing import Any

import traitlets

from tooldeck.guards.text import visible
from tooldeck.notebook.progress_text import INTERRUPT, reached
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._pace import Pace
from tooldeck.notebook.widgets._panel import Panel, shown_pieces

__all__ = ["ProgressBar"]


class ProgressBar(Panel):
    """A bar under a title; `move` may be called from any thread, at any pace.

    `cancel` gives the call up, once, when a person presses the button; there is none without it.
    """

    _esm = script("progress")
    _css = style("progress")
    progress = traitlets.Dict().tag(sync=True)

    def __init__(
        self, title: str, cancel: Callable[[], object] | None = None, *, pace: Pace | None = None
    ) -> None:
        self.title = title
        self._cancel = cancel
        self._phase = "" if cancel is None else "offered"
        self._pace = pace or Pace()
        self._line = "started"
        self._share: float | None = None
        super().__init__()
        self._show()

    def move(self, done: float, total: float | None = None, message: str = "") -> None:
        """Show that `done` of `total` is reached; without a total the bar only shows that something moves."""
        self._share = min(1.0, max(0.0, done / total)) if total else None
        self._line = reached(done, total, message)
        self._pace.run(self._show, urgent=self._share == 1.0)

    def end(self, words: str) -> None:
        """Show how the call ended; the bar stands still from then on."""
        self._share = 1.0 if self._share is None else self._share
        self._phase = ""
        self._line = f"{self._line} · {words}"
        self._pace.run(self._show, urgent=True)

    def heard(self, content: dict[str, Any]) -> None:
        """The page says that the button was pressed; of several pages, or several times, the first counts."""
        if content.get("type") != "cancel" or self._phase != "offered" or self._cancel is None:
            return
        self._phase = "asked"
        self._show()
        self._cancel()

    def _show(self) -> None:
        self.progress = {
            "title": shown_pieces(self.title),
            "share": self._share,
            "line": shown_pieces(self._line),
            "cancel": self._phase,
        }

    def text(self) -> str:
        """One line; while it can be cancelled it says how that goes without the button."""
        how = {"offered": f" ({INTERRUPT})", "asked": " (being cancelled)"}.get(self._phase, "")
        return visible(f"{self.title}: {self._line}{how}")

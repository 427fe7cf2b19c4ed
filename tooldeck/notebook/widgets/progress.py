"""The bar of a call that reports its progress."""

import ipywidgets

from tooldeck.guards.text import escape_html, visible

__all__ = ["ProgressBar"]


class ProgressBar(ipywidgets.HBox):
    """How far a call is. `move` may be called from any thread."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._words = ""
        self._bar = ipywidgets.FloatProgress(min=0.0, max=1.0, description_allow_html=False)
        self._bar.style.description_width = "initial"
        self._label = ipywidgets.HTML()
        super().__init__([ipywidgets.HTML(f"<code>{escape_html(title)}</code>"), self._bar, self._label])

    def move(self, done: float, total: float | None, message: str) -> None:
        """Show `done` of `total`; without a total the bar is full and the count runs."""
        share = min(1.0, max(0.0, done / total)) if total else 1.0
        self._bar.value = share
        if total and done >= total:
            self._bar.bar_style = "success"
        count = f"{done:g} of {total:g}" if total else f"{done:g}"
        self._words = f"{count} {message}".strip()
        self._label.value = f"<code>{escape_html(self._words)}</code>"

    def __repr__(self) -> str:
        return visible(f"{self._title}: {self._words or 'started'}")

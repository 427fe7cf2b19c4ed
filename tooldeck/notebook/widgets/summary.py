"""The last line of a form: how many problems there are, said aloud; it also brings the form's styles."""

from collections.abc import Sequence

import traitlets

from tooldeck.guards.text import visible
from tooldeck.notebook.facts import count
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces

__all__ = ["Summary"]


class Summary(Panel):
    """What does not fit, below a form."""

    _esm = script("summary")
    _css = style("summary")
    summary = traitlets.Dict({"line": "", "problems": []}).tag(sync=True)

    def __init__(self) -> None:
        self._line = ""
        self._below: list[str] = []
        super().__init__()

    def show(self, problems: int, below: Sequence[str]) -> None:
        """Say how many problems there are, and those that belong to no field."""
        self._line = f"{count(problems, 'problem')} to mend" if problems else ""
        self._below = list(below)
        self.summary = {"line": self._line, "problems": [shown_pieces(problem) for problem in below]}

    def text(self) -> str:
        """The problems as text."""
        return "; ".join([*([self._line] if self._line else []), *map(visible, self._below)])

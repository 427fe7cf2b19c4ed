"""A block of code that can be copied, in one or several forms."""

from collections.abc import Sequence

import traitlets

from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces

__all__ = ["CodeBlock"]


class CodeBlock(Panel):
    """Code under a name for screen readers; `show` changes it. What is copied is what is shown."""

    _esm = script("block")
    _css = style("block")
    block = traitlets.Dict().tag(sync=True)

    def __init__(self, name: str, forms: Sequence[tuple[str, str]], *, lengths: bool = True) -> None:
        self.name = name
        self._lengths = lengths
        self._forms = list(forms)
        super().__init__()
        self.show(forms)

    def show(self, forms: Sequence[tuple[str, str]]) -> None:
        """Show these forms, each a label and a text; the first one until a person chooses another."""
        self._forms = list(forms)
        self.block = {
            "name": self.name,
            "lengths": self._lengths,
            "forms": [{"label": label, "text": text, "shown": shown_pieces(text)} for label, text in forms],
        }

    def text(self) -> str:
        """The first form."""
        return self._forms[0][1] if self._forms else ""

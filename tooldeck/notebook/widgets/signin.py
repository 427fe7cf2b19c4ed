"""The card with which a person signs in to a server: the page to visit, and a field for where it ended."""

from concurrent.futures import Future, InvalidStateError
from typing import Any

import traitlets

from tooldeck.core.errors import TooldeckError
from tooldeck.guards.links import safe_link, url_warnings
from tooldeck.guards.text import visible
from tooldeck.mcp.oauth.redirect import SignInRequest, WrongAddress
from tooldeck.notebook.pieces import code, panel, shown
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces

__all__ = ["SignInCard"]

_LONGEST = 16_384
# Characters of a pasted address.


class SignInCard(Panel):
    """Asks to sign in. What is pasted is never part of its state, which a notebook may save.

    `answer` is done when an address of this sign-in was pasted, with None when the person gave up.
    """

    _esm = script("signin")
    _css = style("signin")
    request = traitlets.Dict().tag(sync=True)
    phase = traitlets.Unicode("waiting").tag(sync=True)
    trouble = traitlets.List().tag(sync=True)
    summary = traitlets.List().tag(sync=True)

    def __init__(self, wanted: SignInRequest) -> None:
        self._wanted = wanted
        self._story = "waiting"
        self.answer: Future[str | None] = Future()
        self._display: Any = None
        super().__init__(request=_facts(wanted))

    def heard(self, content: dict[str, Any]) -> None:
        """An address is pasted, or the person gives up."""
        if content.get("type") == "give up":
            if self._answered(None):
                self.settle(given_up=True)
            return
        pasted = content.get("address")
        if content.get("type") != "paste" or not isinstance(pasted, str) or len(pasted) > _LONGEST:
            return
        try:
            self._wanted.read(pasted)
        except WrongAddress as wrong:
            self.trouble = shown_pieces(str(wrong))
            return
        except TooldeckError:
            pass  # a refusal ends it as well: whoever waits tells it
        if self._answered(pasted):
            self.settle(given_up=False)

    def _answered(self, pasted: str | None) -> bool:
        try:
            self.answer.set_result(pasted)
        except InvalidStateError:
            return False
        return True

    def settle(self, *, given_up: bool) -> None:
        """Show an answer that was given here or elsewhere."""
        self._end("refused", "given up") if given_up else self._end("done", "the address was pasted")

    def over(self, *, arrived: bool) -> None:
        """Show that nobody needs to answer any more: the browser came back, or the wait ended."""
        self.answer.cancel()
        self._end("done", "the browser came back") if arrived else self._end("off", "not signed in")

    def _end(self, phase: str, story: str) -> None:
        if self.phase != "waiting":
            return
        self._story = story
        self.summary = shown_pieces(f"Signing in to {self._wanted.server} — {story}")
        self.request = {}  # the page is of no use any more
        self.trouble = []
        self.phase = phase

    def shown_by(self, display: Any) -> None:
        """The handle of the output that shows it, None where that is not the cell's own."""
        self._display = display

    def keep(self) -> None:
        """Leave how it ended in that output, as text and HTML; call it on the thread of that cell."""
        if self._display is not None:
            self._display.update({"text/plain": self.text(), "text/html": self.html()}, raw=True)

    def text(self) -> str:
        """One line, without the address."""
        return visible(f"Signing in to {self._wanted.server} at {self._wanted.host} — {self._story}")

    def html(self) -> str:
        """The same as static HTML."""
        wanted = self._wanted
        return panel(f"Signing in to {code(wanted.server)} at {code(wanted.host)} — {shown(self._story)}")


def _facts(wanted: SignInRequest) -> dict[str, Any]:
    """What the page is told."""
    return {
        "server": shown_pieces(wanted.server),
        "link": safe_link(wanted.page),
        "address": shown_pieces(wanted.page),
        "host": shown_pieces(wanted.host),
        "ends": wanted.ends_at,
        "listening": wanted.listening,
        "warnings": [shown_pieces(one) for one in url_warnings(wanted.page)],
    }

"""The words ``%mcp serve``: the deck's tools for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tooldeck.notebook.lines import Mistake, read_line
from tooldeck.notebook.magics.base import DeckMagicsBase
from tooldeck.notebook.say import say
from tooldeck.notebook.show import show_serving

if TYPE_CHECKING:
    from tooldeck.serve.serving import Serving
    from tooldeck.serve.settings import ServeSettings

__all__ = ["SERVE_FLAGS", "SERVE_OPTIONS", "ServingLines"]

SERVE_OPTIONS = ("tools", "allow", "effects", "port", "token", "name", "host")
"""The options of ``%mcp serve`` that take a value."""
SERVE_FLAGS = ("force",)
"""Those that take none."""
_ENDS = frozenset({"stop", "off", "end", "close"})
# What ends the serving, also where it is written as an option.
_LISTS = ("tools", "allow", "effects")


class ServingLines(DeckMagicsBase):
    """Reads the line, and keeps at most one server per notebook."""

    def _serve(self, rest: str) -> None:
        if rest.strip().lstrip("-").lower() in _ENDS:
            self._stop_serving()
            return
        read = read_line("%mcp serve", rest, SERVE_FLAGS, SERVE_OPTIONS)
        if _ENDS.intersection(read.words):
            raise Mistake("%mcp serve stop ends the serving and takes nothing else.")
        if read.words:
            raise Mistake(
                f"%mcp serve takes options or the word stop, not {read.words[0]!r}; --tools names tools."
            )
        settings = _settings(read.options)
        before: list[Serving] = self.deck.servings
        for old in before:
            if old.port == settings.get("port"):  # only one can listen there
                old.stop()
        made = self.deck.serve(**settings)
        for old in before:  # not sooner: a line that is refused ends nothing
            old.stop()
        show_serving(self.notebook, made)

    def _stop_serving(self) -> None:
        stopped: list[Serving] = self.deck.servings
        for one in stopped:
            one.stop()
        say("Nothing is served any more." if stopped else "Nothing was served.")


def _settings(options: Any) -> ServeSettings:
    found: dict[str, Any] = dict(options)
    for name in _LISTS:
        if name in found:
            found[name] = [word for word in found[name].split(",") if word.strip()]
    if "port" in found:
        if not found["port"].isdecimal():
            raise Mistake(f"--port must be a number, 0 for a free one, not {found['port']!r}.")
        found["port"] = int(found["port"])
    return found  # type: ignore[return-value] - names and values are those of the options

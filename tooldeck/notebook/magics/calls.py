"""``%call`` and ``%trace``: running a tool and seeing what happened."""

from __future__ import annotations

import re

from IPython.core.magic import line_magic, magics_class, no_var_expand
from IPython.display import display

from tooldeck.core.result import ToolResult
from tooldeck.loops.timeline import Timeline
from tooldeck.notebook.lines import Mistake, fit_text, read_call, read_line
from tooldeck.notebook.magics.base import DeckMagicsBase, in_one_sentence
from tooldeck.notebook.show import show_trace

__all__ = ["CallMagics"]


@magics_class
class CallMagics(DeckMagicsBase):
    """Magics for calls."""

    @no_var_expand
    @line_magic
    @in_one_sentence
    def call(self, line: str) -> ToolResult:
        """Run a tool: ``%call NAME key=value …`` or ``%call NAME {"key": …}``. Gives the `ToolResult`."""
        name, arguments = read_call(line)
        if isinstance(arguments, dict):
            arguments = fit_text(self.deck.tools.get(name), arguments)
        with self.notebook.calling():
            return self.deck.call(name, arguments)

    @no_var_expand
    @line_magic
    @in_one_sentence
    def trace(self, line: str) -> None:
        """Show the stages of a call with their times and decisions.

        ``%trace`` takes the last call, ``%trace NAME`` the last one of a tool, ``%trace -2`` the one before.
        ``%trace --run`` shows the last run of a model: its replies and calls on one axis.
        """
        read = read_line("%trace", line, flags=("run",))
        if not read.options.get("run"):
            show_trace(self._chosen(read.words[0] if read.words else "-1"))
            return
        if read.words:
            raise Mistake(f"%trace --run shows the last run and takes no more words, not {read.words[0]!r}.")
        if self.notebook.last_run is None:
            raise Mistake("No model has run yet, so there is no run to show; %%ask and deck.run start one.")
        display(Timeline(self.notebook.last_run))

    def _chosen(self, word: str) -> ToolResult:
        history = self.deck.history()
        if not history:
            raise Mistake("No call has been made yet, so there is no trace to show.")
        if re.fullmatch(r"-?[0-9]+", word):
            try:
                place = int(word)
                return history[place if place < 0 else len(history) if place == 0 else place - 1]
            except (IndexError, ValueError):  # more digits than Python reads
                raise Mistake(
                    f"There are only {len(history)} calls in the history; %trace -1 is the last."
                ) from None
        found = [result for result in history if result.call.name == word]
        if not found:
            raise Mistake(f"No call of {word!r} in the history; %deck log lists the calls.")
        return found[-1]

"""``%%ask``: a model works on the text of a cell with the deck's tools, and the cell shows what it does."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from IPython.core.magic import cell_magic, magics_class, no_var_expand

from tooldeck.core.errors import DefinitionError
from tooldeck.core.events import CallEnded, Event
from tooldeck.core.messages import Message
from tooldeck.core.model import check_model, name_of
from tooldeck.core.run import Run
from tooldeck.core.run_result import RunResult
from tooldeck.loops.limits import RunLimits
from tooldeck.loops.text_actions import TextManner
from tooldeck.notebook.lines import Mistake, read_line
from tooldeck.notebook.magics.base import DeckMagicsBase, in_one_sentence
from tooldeck.notebook.run_views import RunShown, show_run

if TYPE_CHECKING:
    from tooldeck.deck import Deck
    from tooldeck.notebook.extension import Notebook

__all__ = ["AskMagics"]


@magics_class
class AskMagics(DeckMagicsBase):
    """The magic for models."""

    _last: Run | None = None

    @no_var_expand
    @cell_magic
    @in_one_sentence
    def ask(self, line: str, cell: str) -> RunResult:
        """Let a model work on the text of this cell. Gives the `RunResult`.

        ``%%ask [--model NAME] [--text] [--more] [--resume]``
        ``[--rounds N] [--calls N] [--seconds S] [--tokens N] [--cost C]``

        The model is the variable of that name; without it ``model``, else ``deck.model``. `tooldeck.loops`
        makes models. ``--text`` is for those without native tool calls. ``--more`` goes on with the
        conversation of the last such cell, also of one that was interrupted; ``--resume`` with the last run
        of the notebook's store, also after a restart, within its limits. The other options limit the run.
        While it goes on, its panel takes words for the model and stops it; another cell or thread does so by
        ``deck.steer("…")`` and ``deck.runs``.
        """
        given = read_line("%%ask", line, flags=("text", "more", "resume"), valued=("model", *_LIMITS))
        if given.words:
            raise Mistake(
                f"%%ask takes options only, not {given.words[0]!r}: --model NAME names the model, and what "
                "it shall do stands in the lines below."
            )
        if not cell.strip():
            raise Mistake("%%ask takes what the model shall do from the lines below it.")
        actions = "text" if given.options.get("text") else "native"
        limits = _limits(given.options, TextManner.limits if actions == "text" else RunLimits())
        model = self._model(given.options.get("model"))
        messages = self._earlier() if given.options.get("more") else ()
        run = self._last = Run(cell.strip().partition("\n")[0][:60])
        kept = self._kept() if given.options.get("resume") else None
        shown = show_run(run, name_of(model), limits)
        with _watched(self.deck, shown), _apps_shown(self.notebook, run):
            if kept is not None:
                return self.deck.resume(kept, prompt=cell.strip(), model=model, run=run)
            return self.deck.run(
                cell.strip(), model=model, messages=messages, actions=actions, limits=limits, run=run
            )

    def _kept(self) -> str:
        """The id of the newest run of the store."""
        kept = self.deck.kept_runs()[:1]
        if not kept:
            raise Mistake("No run is kept that could go on; leave out --resume.")
        return kept[0].id

    def _model(self, given: Any) -> Any:
        name = str(given or "model")
        found: Any = self.shell.user_ns.get(name) if self.shell is not None else None
        if found is None and not given:
            found = self.deck.model
        if found is None:
            raise Mistake(
                f"There is no model in the variable {name!r}; make one with tooldeck.loops, or name its "
                "variable: %%ask --model NAME."
            )
        return check_model(found)

    def _earlier(self) -> tuple[Message, ...]:
        if self._last is None:
            raise Mistake("There is no conversation to go on with yet; leave out --more.")
        return self._last.messages


_LIMITS = {"rounds": int, "calls": int, "seconds": float, "tokens": int, "cost": float}
"""The options that limit a run, and what their values are."""


def _limits(options: Mapping[str, Any], usual: RunLimits) -> RunLimits:
    limits = usual
    for name, kind in _LIMITS.items():
        if name not in options:
            continue
        try:
            limits = replace(limits, **{name: kind(options[name])})
        except (ValueError, DefinitionError):
            wants = "a whole number of 1 or more" if kind is int else "a number above 0"
            raise Mistake(f"%%ask --{name} takes {wants}, got {options[name]!r}.") from None
    return limits


@contextmanager
def _watched(deck: Deck, shown: RunShown) -> Generator[None]:
    """Tell `shown` what happens within the block, with the stages of calls where it shows them."""
    before = deck.trace
    if shown.traced and not before:
        deck.trace = True
    undo = deck.subscribe(shown.observe)
    try:
        yield
    finally:
        undo()
        if deck.trace is not before:
            deck.trace = before
        shown.close()


@contextmanager
def _apps_shown(notebook: Notebook, run: Run) -> Generator[None]:
    """Let the apps of what the model calls within the block come below, as those of a cell's own calls do."""

    def ended(event: Event) -> None:
        if isinstance(event, CallEnded) and event.result.call.caller.run is run:
            notebook.apps.displayed(event.result)

    undo = notebook.deck.subscribe(ended)
    try:
        yield
    finally:
        undo()

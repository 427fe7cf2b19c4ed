"""``%%ask``: a model works on the text of a cell with the deck's tools, and the cell shows what it does."""

from __future__ import annotations

import threading
from typing import Any

from IPython.core.magic import cell_magic, magics_class, no_var_expand

from tooldeck.core.call import Run
from tooldeck.core.errors import DefinitionError
from tooldeck.core.events import CallEnded, Event, ModelReplied, ModelSpoke
from tooldeck.core.messages import Message
from tooldeck.core.run_result import RunResult
from tooldeck.guards.text import one_line
from tooldeck.loops.limits import RunLimits
from tooldeck.notebook.kernel.jobs import here, post
from tooldeck.notebook.lines import Mistake, read_line
from tooldeck.notebook.magics.base import DeckMagicsBase, in_one_sentence
from tooldeck.notebook.say import say

__all__ = ["AskMagics"]

_CALL_CHARS = 100


@magics_class
class AskMagics(DeckMagicsBase):
    """The magic for models."""

    _last: Run | None = None

    @no_var_expand
    @cell_magic
    @in_one_sentence
    def ask(self, line: str, cell: str) -> RunResult:
        """Let a model work on the text of this cell. Gives the `RunResult`.

        ``%%ask [--model NAME] [--text] [--more] [--rounds N]``

        The model is the variable of that name, ``model`` if none is given; `tooldeck.loops` makes models.
        ``--text`` is for those without native tool calls. ``--more`` goes on with the conversation of the
        last such cell, also of one that was interrupted. Another cell or thread finds the run in
        ``deck.runs``, to steer or stop it.
        """
        given = read_line("%%ask", line, flags=("text", "more"), valued=("model", "rounds"))
        if given.words or not cell.strip():
            raise Mistake("%%ask takes what the model shall do from the lines below it.")
        actions = "text" if given.options.get("text") else "native"
        limits = _limits(given.options.get("rounds"))
        model = self._model(str(given.options.get("model", "model")))
        messages = self._earlier() if given.options.get("more") else ()
        run = Run(cell.strip().partition("\n")[0][:60])
        self._last = run
        view = _View(run)
        undo = self.deck.subscribe(view.observe)
        try:
            return self.deck.run(
                cell.strip(), model=model, messages=messages, actions=actions, limits=limits, run=run
            )
        finally:
            undo()
            view.flush()

    def _model(self, name: str) -> Any:
        found: Any = self.shell.user_ns.get(name) if self.shell is not None else None
        if found is None:
            raise Mistake(
                f"There is no model in the variable {name!r}; make one with tooldeck.loops, or name its "
                "variable: %%ask --model NAME."
            )
        return found

    def _earlier(self) -> tuple[Message, ...]:
        if self._last is None:
            raise Mistake("There is no conversation to go on with yet; leave out --more.")
        return self._last.messages


def _limits(rounds: Any) -> RunLimits | None:
    if rounds is None:
        return None
    try:
        return RunLimits(rounds=int(rounds))
    except (ValueError, DefinitionError):
        raise Mistake(f"%%ask --rounds takes a whole number of 1 or more, got {rounds!r}.") from None


class _View:
    """Shows one run in the cell that waits for it; text that comes on another thread is taken there."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._place = here()
        self._lock = threading.Lock()
        self._pieces: list[str] = []
        self._heard = False

    def observe(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, ModelSpoke) and event.run is self._run:
            self._heard = True
            self._show("\n… the reply broke off; once more:\n" if event.afresh else event.text)
        elif isinstance(event, ModelReplied) and event.run is self._run:
            if not self._heard:
                self._show(event.reply.text)
            if event.reply.text:
                self._show("\n")
            self._heard = False
        elif isinstance(event, CallEnded) and event.result.call.caller.run is self._run:
            call = one_line(str(event.result.call))
            shown = call if len(call) <= _CALL_CHARS else f"{call[: _CALL_CHARS - 1]}…"
            self._show(f"→ {shown}: {event.result.status}\n")

    def _show(self, text: str) -> None:
        with self._lock:
            self._pieces.append(text)
        if here() == self._place:
            self.flush()
        else:
            post(self.flush, place=self._place)

    def flush(self) -> None:
        """Print what has come since the last time."""
        with self._lock:
            text, self._pieces = "".join(self._pieces), []
        if text:
            say(text, end="")

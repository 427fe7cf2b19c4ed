"""``%deck``: the whole deck at a glance, the log of its calls, and running one of them again."""

from __future__ import annotations

from getpass import getpass
from typing import Any

from IPython.core.magic import line_magic, magics_class, no_var_expand

from tooldeck.core.errors import SetupError
from tooldeck.core.result import ToolResult
from tooldeck.notebook.kernel.environment import Audience, audience
from tooldeck.notebook.lines import Mistake, choose, fit_text, read_line, read_pairs
from tooldeck.notebook.listing import CallLogTable, DeckView, StoredLogTable
from tooldeck.notebook.magics.base import DeckMagicsBase, in_one_sentence
from tooldeck.notebook.say import say
from tooldeck.store.log import write_jsonl

__all__ = ["WORDS", "DeckMagics"]

WORDS = ("log", "replay")
"""What may follow ``%deck``."""


@magics_class
class DeckMagics(DeckMagicsBase):
    """Magics for the deck."""

    @no_var_expand
    @line_magic("deck")
    @in_one_sentence
    def deck_line(self, line: str) -> Any:
        """Show the deck and what is known of its calls.

        ``%deck`` shows its tools, servers, policy and breakers. ``%deck log [N] [--tool NAME] [--status
        STATUS]`` lists the last calls (20, of all times), the status ``unfinished`` those of which no end is
        known; ``%deck log … --export FILE`` writes all that fit into a file, one JSON object a line.
        ``%deck replay ID [key=value …]`` runs a call of the log again; secrets, which the log does not have,
        are asked for.
        """
        verb, _, rest = line.strip().partition(" ")
        if not verb:
            return DeckView(self.deck)
        return getattr(self, f"_{choose('%deck', verb, WORDS)}")(rest)

    def _log(self, rest: str) -> Any:
        read = read_line("%deck log", rest, (), ("tool", "status", "export"))
        if len(read.words) > 1 or not all(word.isdecimal() for word in read.words):
            raise Mistake(f"%deck log takes the number of calls to list, not {' '.join(read.words)!r}.")
        chosen = {name: str(value) for name, value in read.options.items()}
        file = chosen.pop("export", None)
        if self.deck.store is None and not (chosen or file or read.words):
            return CallLogTable(tuple(self.deck.history()))
        if file is None:
            return StoredLogTable(tuple(self.deck.log(int(read.words[0]) if read.words else 20, **chosen)))
        entries = self.deck.log(int(read.words[0]) if read.words else None, **chosen)
        try:
            return say(f"Wrote {write_jsonl(entries, file)} calls to {file}.")
        except OSError as error:
            raise Mistake(f"%deck log cannot write {file!r}: {error.strerror or error}.") from None

    def _replay(self, rest: str) -> ToolResult:
        number, _, pairs = rest.strip().partition(" ")
        if not number.isdecimal():
            raise Mistake("%deck replay needs the number of a call, as %deck log shows it: %deck replay 12.")
        entry = self.deck.logged(int(number))
        typed = read_pairs(f"%deck replay {number}", pairs)
        given = fit_text(self.deck.tools.get(entry.name), typed)
        for name in entry.missing(given):
            given |= fit_text(self.deck.tools.get(entry.name), {name: self._secret(name)})
        with self.notebook.calling():
            return self.deck.replay(entry.id, **given)

    def _secret(self, name: str) -> str:
        """What a person types for a secret; it is in no cell and no output."""
        if audience() is Audience.NOBODY:
            raise SetupError(
                f"The log does not have the secret {name!r}, and nobody can be asked for it here; give it as "
                f"{name}=…, or run the cell where input is possible."
            )
        return getpass(f"{name}: ")

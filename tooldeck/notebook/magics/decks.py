"""``%deck``: the whole deck at a glance, the log of its calls, and running one of them again."""

from __future__ import annotations

from getpass import getpass
from pathlib import Path
from typing import Any

from IPython.core.magic import line_magic, magics_class, no_var_expand

from tooldeck.core.errors import SetupError
from tooldeck.core.result import ToolResult
from tooldeck.core.strangers import file_fault
from tooldeck.notebook.kernel.environment import Audience, audience
from tooldeck.notebook.lines import Mistake, choose, fit_text, read_line, read_pairs
from tooldeck.notebook.listing import CallLogTable, DeckView, PluginTable, StoredLogTable
from tooldeck.notebook.magics.base import DeckMagicsBase, in_one_sentence
from tooldeck.notebook.say import say
from tooldeck.plugins import plugins
from tooldeck.store.log import write_jsonl
from tooldeck.store.tapes import Replaying

__all__ = ["LOG_OPTIONS", "PLUGIN_WORDS", "WORDS", "DeckMagics"]

WORDS = ("log", "replay", "record", "plugins")
"""What may follow ``%deck``."""
LOG_OPTIONS = ("tool", "status", "export")
"""The options of ``%deck log``."""
PLUGIN_WORDS = ("load",)
"""What may follow ``%deck plugins``."""


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
        are asked for. ``%deck record FILE`` writes the results of all calls into a file, until ``%deck record
        off``; ``%deck replay FILE`` answers all calls from it, so that nothing runs and nobody is asked,
        until ``%deck replay off``. ``%deck plugins`` lists the installed packages that bring tools, ``%deck
        plugins load [NAME…]`` adds the tools of all or of some.
        """
        verb, _, rest = line.strip().partition(" ")
        if not verb:
            return DeckView(self.deck)
        return getattr(self, f"_{choose('%deck', verb, WORDS)}")(rest)

    def _log(self, rest: str) -> Any:
        read = read_line("%deck log", rest, (), LOG_OPTIONS)
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
            raise Mistake(f"%deck log cannot write {file!r}: {file_fault(error)}.") from None

    def _record(self, rest: str) -> None:
        file = self._file("record", rest)
        ended = self._end_tape()
        if file is not None:
            return say(f"Recording into {self.deck.recording(file).path}, until %deck record off.")
        return say(ended or "No recording is going on.")

    def _replay(self, rest: str) -> ToolResult | None:
        number, _, pairs = rest.strip().partition(" ")
        if number.isdecimal():
            return self._again(number, pairs)
        file = self._file("replay", rest)
        if file is not None and not Path(file).exists():
            raise Mistake(
                f"There is no recording {file!r}, and no call of that number; %deck record FILE makes one, "
                "%deck log lists the calls that %deck replay NUMBER makes again."
            )
        ended = self._end_tape()
        if file is not None:
            tape = self.deck.replaying(file)
            return say(f"Answering calls from {tape.path} ({tape.left} results), until %deck replay off.")
        return say(ended or "No replay is going on.")

    def _plugins(self, rest: str) -> PluginTable | None:
        words = read_line("%deck plugins", rest).words
        if not words:
            return PluginTable(plugins())
        choose("%deck plugins", words[0], PLUGIN_WORDS)
        return say(self.deck.load_plugins(*words[1:]))

    def _file(self, verb: str, rest: str) -> str | None:
        """The file that a line names; None for the word off."""
        words = read_line(f"%deck {verb}", rest).words
        if len(words) != 1:
            number = (
                "the number of a call of %deck log, as in %deck replay 12, or " if verb == "replay" else ""
            )
            raise Mistake(
                f"%deck {verb} needs {number}a file, as in %deck {verb} results.jsonl; "
                f"%deck {verb} off ends it."
            )
        return None if words[0] == "off" else words[0]

    def _end_tape(self) -> str | None:
        """End what goes on, and say what came of it."""
        tape = self.deck.tape
        if tape is None:
            return None
        tape.stop()
        if isinstance(tape, Replaying):
            unused = f"; {tape.left} results of it were not asked for" if tape.left else ""
            return f"Calls run again; the replay of {tape.path} has ended{unused}."
        return f"Recorded {tape.count} results into {tape.path}."

    def _again(self, number: str, pairs: str) -> ToolResult:
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

"""``%%tool``, ``%tool`` and ``%tools``: making tools and looking at them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any

from IPython.core.magic import cell_magic, line_magic, magics_class, no_var_expand

from tooldeck.core.errors import DefinitionError
from tooldeck.core.exact import VOCABULARY, exact_tokens
from tooldeck.core.gates import PATTERN_MARKS
from tooldeck.core.options import check_options
from tooldeck.core.tokens import tool_tokens
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import read_effects
from tooldeck.notebook import facts
from tooldeck.notebook.advice import advice
from tooldeck.notebook.cell import read_cell
from tooldeck.notebook.lines import Mistake, as_typed, read_line
from tooldeck.notebook.listing import ToolTable
from tooldeck.notebook.magics.base import DeckMagicsBase, in_one_sentence
from tooldeck.notebook.say import say
from tooldeck.notebook.show import show_tool
from tooldeck.registry.shelf import make_tool

__all__ = ["OPTIONS", "SWITCHES", "ToolMagics"]

_VALUED = (
    *("name", "description", "effects", "risk", "trust", "timeout", "max_chars", "retry", "breaker"),
    *("call_timeout", "target", "resources", "rate", "preview_within"),
    *("preview", "available", "schema_override", "check_input", "check_output"),
)
_FUNCTIONS = ("preview", "available", "schema_override", "check_input", "check_output")
"""Options that are functions of the notebook or of the cell, by name; checks may be several."""
_NUMBERS = {
    "timeout": float,
    "call_timeout": float,
    "preview_within": float,
    "max_chars": int,
    "retry": int,
    "breaker": int,
}
_FLAGS = ("idempotent", "ignore_unknown", "ask", "no_ask")
OPTIONS = (*_VALUED, *_FLAGS)
"""The options of ``%%tool``."""
SWITCHES = ("off", "on")
"""What may follow ``%tools``, beside words to look for."""
_cells = itertools.count(1)


@magics_class
class ToolMagics(DeckMagicsBase):
    """Magics for tools."""

    @no_var_expand
    @cell_magic("tool")
    @in_one_sentence
    def tool_cell(self, line: str, cell: str) -> None:
        """Turn the function of this cell into a tool.

        ``%%tool [--effects read,write,execute,network,repository,human,model | none] [--name NAME]
        [--description TEXT] [--idempotent] [--ignore-unknown] [--ask | --no-ask] [--timeout SECONDS]
        [--retry ATTEMPTS] [--breaker FAILURES] [--risk low|medium|high] [--trust trusted|untrusted]
        [--max-chars N] [--call-timeout SECONDS] [--target PARAMETER] [--resources PARAMETER,…]
        [--rate CALLS/TIME] [--preview FUNCTION] [--preview-within SECONDS] [--available FUNCTION]
        [--schema-override FUNCTION] [--check-input FUNCTION,…] [--check-output FUNCTION,…]``

        A FUNCTION is the name of one in the cell, where it is no tool then, or in the notebook.

        Imports and helpers may stand in the cell. Of several functions those marked with ``@tool`` are
        taken, else all whose names do not start with an underscore. Running the cell again replaces the tool
        everywhere.
        """
        options = _options(line)
        helpers = {name: options[name].split(",") for name in _FUNCTIONS if name in options}
        named = [name for names in helpers.values() for name in names]
        found = read_cell(self.notebook.shell.transform_cell(cell), named)
        if "name" in options and len(found.names) > 1:
            raise Mistake(
                f"--name fits one tool, and this cell has {len(found.names)}: {', '.join(found.names)}."
            )
        namespace = self.notebook.shell.user_ns
        functions = found.run(namespace, f"<%%tool cell {next(_cells)}>")
        options |= {option: _functions(namespace, option, names) for option, names in helpers.items()}
        origin = Origin("notebook")
        described = [
            make_tool(function, {"origin": origin, **_named(name, function), **options, **marks})
            for name, function, marks in functions
        ]
        refused = (tool for tool in described if self._taken(tool))
        made = [self.deck.add(tool) for tool in (*refused, *described)]  # all of them, or none
        self.notebook.shell.push({name: tool for (name, _, _), tool in zip(functions, made, strict=True)})
        for tool in made:
            show_tool(self.notebook, tool, advice(tool))
        if len(made) > 1:
            say(f"Made {len(made)} tools: {', '.join(found.names)}. Mark with @tool to choose.")

    def _taken(self, tool: Tool) -> bool:
        """Whether the name belongs to a tool from another place, so that the deck will refuse it."""
        known = self.deck.tools.get(tool.name)
        return known is not None and known.origin != tool.origin

    @no_var_expand
    @line_magic("tool")
    @in_one_sentence
    def tool_line(self, line: str) -> None:
        """Show the card of a tool: ``%tool NAME``."""
        words = read_line("%tool", line).words
        if len(words) != 1:
            raise Mistake("%tool needs the name of one tool: %tool NAME; %tools lists them.")
        show_tool(self.notebook, self.named(words[0]))

    @no_var_expand
    @line_magic
    @in_one_sentence
    def tools(self, line: str) -> Any:
        """List the tools of the deck, and switch them.

        ``%tools`` lists all, ``%tools WORD…`` those with the words in them; one that cannot be used says why.
        ``%tools off NAME…`` switches tools off, by name or pattern (``git__*``), and ``%tools off
        effects=write,execute`` all that have one of the effects; ``%tools on …`` switches them on again.
        ``%tools add NAME…`` adds tools that come with tooldeck, without a name all of them; ``%tools add
        meta`` those that are made of calls of others. ``--exact`` counts tokens by a real vocabulary.
        """
        read = read_line("%tools", line, flags=("exact",))
        words = read.words
        if words and words[0] in SWITCHES:
            return self._switch(words[0], words[1:])
        if words and words[0] == "add":
            return ToolTable(self.deck.add_builtins(*words[1:]), self.deck)
        words = [word.casefold() for word in words]
        found = [tool for tool in self.deck.tools.values() if _has(tool, words)]
        if words and not found and self.deck.tools:
            return ToolTable((), self.deck, f"No tool has {' '.join(read.words)!r} in it; %tools lists all.")
        if not found:
            return ToolTable((), self.deck)
        if not read.options.get("exact"):
            tokens = sum(map(tool_tokens, found))
            say(f"{facts.count(len(found), 'tool')}, about {facts.count(tokens, 'token')} for a model.")
            return ToolTable(tuple(found), self.deck)
        say(f"{facts.count(exact_tokens(found), 'token')} by the vocabulary {VOCABULARY}.")
        return ToolTable(tuple(found), self.deck, tokens=exact_tokens)

    def _switch(self, word: str, things: tuple[str, ...]) -> None:
        if not things:
            raise Mistake(f"%tools {word} needs names, patterns or effects=…; %tools lists the tools.")
        meant = [self._meant(word, thing) for thing in things]  # all of them, or none
        for switch in meant:
            self.deck.enable(**switch) if word == "on" else self.deck.disable(**switch)
        usable = sum(self.deck.why_not(tool) is None for tool in list(self.deck.tools.values()))
        say(
            f"Switched {word} {', '.join(things)}: "
            f"{usable} of {facts.count(len(self.deck), 'tool')} can be used."
        )

    def _meant(self, word: str, thing: str) -> dict[str, str]:
        """The arguments of `Deck.disable` and `Deck.enable` for one word of a line."""
        key, equals, value = thing.partition("=")
        if not equals:
            if not set(PATTERN_MARKS) & set(thing):
                self.named(thing)
            return {"name": thing}
        if key != "effects":
            raise Mistake(f"%tools {word} takes names, patterns or effects=…, not {thing!r}.")
        if not read_effects(value):
            raise Mistake(f"%tools {word} {thing}: name effects, as in effects=write,network.")
        return {"effects": value}


def _functions(namespace: Mapping[str, Any], option: str, names: list[str]) -> Any:
    """The functions that an option names: one by itself, several as a list."""
    for name in names:
        if not callable(namespace.get(name)):
            raise Mistake(
                f"{as_typed(option)} {name}: there is no function of that name; write it here or before."
            )
    found = [namespace[name] for name in names]
    return found[0] if len(found) == 1 else found


def _named(name: str, function: Any) -> dict[str, str]:
    """The name in the cell, where a decorator took it away from the function."""
    return {} if getattr(function, "__name__", None) == name or isinstance(function, Tool) else {"name": name}


def _has(tool: Tool, words: list[str]) -> bool:
    text = f"{tool.name} {tool.description} {tool.origin}".casefold()
    return all(word in text for word in words)


def _options(line: str) -> dict[str, Any]:
    """The options of a ``%%tool`` line, with their types."""
    read = read_line("%%tool", line, _FLAGS, _VALUED)
    if read.words:
        raise Mistake(f"%%tool does not know {read.words[0]!r}; options start with --, as in --effects read.")
    options: dict[str, Any] = dict(read.options)
    if options.pop("no_ask", False):
        if "ask" in options:
            raise Mistake("%%tool takes --ask or --no-ask, not both.")
        options["ask"] = False
    for name, kind in _NUMBERS.items():
        if name in options:
            options[name] = _number(name, options[name], kind)
    _check({name: given for name, given in options.items() if name not in _FUNCTIONS})
    return options


def _check(options: Mapping[str, Any]) -> None:
    """Refuse what no tool could use, with the names as they are typed."""
    try:
        check_options(options)
    except DefinitionError as error:
        said = re.sub(r"^The option (\w+)", lambda found: as_typed(found[1]), str(error))
        raise Mistake(said) from None


def _number(name: str, text: str, kind: type[int | float]) -> int | float:
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number of seconds"
        raise Mistake(f"{as_typed(name)} must be {what}, not {text!r}.") from None

"""The words of ``%mcp`` for what servers offer beside tools: prompts, resources, and their changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.notebook.lines import Mistake, read_line, read_pairs
from tooldeck.notebook.magics.base import found_in
from tooldeck.notebook.magics.inspecting import InspectingLines
from tooldeck.notebook.offers import PromptTable, ResourceTable, prompt_card, template_card
from tooldeck.notebook.places import working_here
from tooldeck.notebook.say import say

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection
    from tooldeck.mcp.prompts import Prompt
    from tooldeck.mcp.resources import Template

__all__ = ["OFFER_WORDS", "READ_OPTIONS", "OfferLines"]

OFFER_WORDS = ("prompts", "prompt", "resources", "read", "subscribe", "unsubscribe")
"""The words that this file adds to ``%mcp``."""
READ_OPTIONS = ("save",)
"""The options of ``%mcp read`` that take a value."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


class OfferLines(InspectingLines):
    """Reads the lines; a server need not be named where only one is connected."""

    def _prompts(self, rest: str) -> PromptTable:
        return PromptTable(self._servers(tuple(rest.split())))

    def _prompt(self, rest: str) -> Any:
        """The prompt filled in, or a form for it where it has gaps and the line fills none."""
        made, line = self._one_of("prompt", rest)
        name, _, pairs = line.partition(" ")
        if not name:
            raise Mistake("%mcp prompt needs the name of a prompt; %mcp prompts lists them.")
        prompt = found_in(made.prompts, name)
        return self._filled(prompt, f"%mcp prompt {name}", pairs, lambda: prompt_card(made, prompt))

    def _resources(self, rest: str) -> ResourceTable:
        return ResourceTable(self._servers(tuple(rest.split())))

    def _read(self, rest: str) -> Any:
        """What is under an address, or under that of a template, by its name or as it is written."""
        made, line = self._one_of("read", rest)
        read = read_line("%mcp read", line, (), READ_OPTIONS)
        if not read.words:
            raise Mistake("%mcp read needs an address or a template; %mcp resources lists them.")
        value = self._value(made, *read.words)
        folder = read.options.get("save")
        if folder is None:
            return value
        if not hasattr(value, "save"):
            raise Mistake("%mcp read --save needs the variables of the template: name=value.")
        say(f"Saved {', '.join(map(str, value.save(str(folder)))) or 'nothing'}.")
        return None

    def _value(self, made: Connection, word: str, *pairs: str) -> Any:
        template = _template(made, word)
        if template is not None:
            asked = " ".join(f"'{pair}'" for pair in pairs)
            return self._filled(template, f"%mcp read {word}", asked, lambda: template_card(made, template))
        if pairs:
            raise Mistake(f"%mcp read: {made.label} has no template {word!r}; %mcp resources lists them.")
        _check_address("read", word)
        with working_here():
            return made.resources.read(word)

    def _filled(self, thing: Prompt | Template, magic: str, pairs: str, card: Any) -> Any:
        schema = thing.remote.schema
        given = read_pairs(magic, pairs)
        if schema["properties"] and not given:
            try:
                return card()
            except SetupError:
                pass  # without widgets the line has to tell the values
        try:
            with working_here():
                return thing(**given)
        except DefinitionError as misfit:
            raise Mistake(f"{misfit}. Write {magic} name=value …, or nothing after it for a form.") from None

    def _subscribe(self, rest: str) -> None:
        made, uri = self._one_of("subscribe", rest)
        if not uri:
            raise Mistake("%mcp subscribe needs an address; %mcp resources lists them.")
        _check_address("subscribe", uri)
        with working_here():
            made.resources.subscribe(uri)
        say(f"Changes of {uri} are told until %mcp unsubscribe {made.label} {uri}.")

    def _unsubscribe(self, rest: str) -> None:
        made, uri = self._one_of("unsubscribe", rest)
        ours = [one for one in made.session.subscriptions if not uri or one.uri == uri]
        for one in ours:
            one.close()
        told = ", ".join(one.uri for one in ours)
        say(f"Changes of {told} are told no more." if ours else f"{made.label} has no such subscription.")


def _check_address(verb: str, word: str) -> None:
    if not _ADDRESS.fullmatch(word):
        raise Mistake(
            f"%mcp {verb}: {word!r} is no address such as demo://cities; %mcp resources lists them."
        )


def _template(made: Connection, word: str) -> Template | None:
    """The template of that name, or written that way."""
    for one in made.resources.templates.values():
        if word in (one.name, one.remote.template):
            return one
    return None

"""The words of ``%mcp`` for what a person tells a server: folders it may know of, how much it shall say."""

from __future__ import annotations

from tooldeck.notebook.lines import Mistake, choose, split
from tooldeck.notebook.magics.inspecting import InspectingLines
from tooldeck.notebook.say import say

__all__ = ["TELL_WORDS", "TellingLines"]

TELL_WORDS = ("roots", "level")
"""The words that this file adds to ``%mcp``."""


class TellingLines(InspectingLines):
    """Reads the lines; a server need not be named where only one is connected."""

    def _roots(self, rest: str) -> None:
        """Show the folders, or name others."""
        made, line = self._one_of("roots", rest)
        named = split(line)
        if named:
            made.tell_roots(*(() if named == ["none"] else named))
        known = ", ".join(map(str, made.roots))
        say(f"{made.label} may know of {known}." if known else f"{made.label} is told of no folder.")

    def _level(self, rest: str) -> None:
        from tooldeck.mcp.telling import LEVELS

        made, level = self._one_of("level", rest)
        if not level:
            raise Mistake(f"%mcp level needs one of {', '.join(LEVELS)}.")
        choose("%mcp level", level, LEVELS)
        made.set_level(level)
        say(f"{made.label} tells what is {level} or graver.")

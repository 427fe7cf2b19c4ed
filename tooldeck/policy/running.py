"""What a policy says of programs that tools run: how well they are shut in, and whether shells read."""

from __future__ import annotations

from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.vocabulary import read_word
from tooldeck.guards.isolation import Isolation, at_least
from tooldeck.policy.weighing import Ruling

__all__ = ["DEFAULT", "check_command_lines", "check_isolation", "demanded", "shells_allowed"]

DEFAULT = Isolation.LANDLOCK
"""The demand of a policy that states none: a real sandbox of either kind."""


def check_isolation(given: Any) -> Isolation:
    """The level that is meant; `DefinitionError` with the nearest or all known words."""
    level = read_word(Isolation, given, "isolation")
    if level is None:
        raise DefinitionError(f"The isolation must be one of {', '.join(Isolation)}, got {given!r}.")
    return level


def check_command_lines(given: Any) -> bool:
    """`given`, if it is True or False."""
    if not isinstance(given, bool):
        raise DefinitionError(f"command_lines must be true or false, got {given!r}.")
    return given


def demanded(own: Ruling, found: Ruling | None) -> Isolation:
    """The weakest sandbox that will do; a file that was merely found can only ask for more."""
    level = own.isolation or DEFAULT
    more = None if found is None else found.isolation
    return level if more is None or at_least(level, more) else more


def shells_allowed(own: Ruling, found: Ruling | None) -> bool:
    """Whether shells may read command lines; a file that was merely found can only forbid it."""
    return own.command_lines is True and (found is None or found.command_lines is not False)

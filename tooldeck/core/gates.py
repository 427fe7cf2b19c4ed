"""Whether a tool is there at all right now: the allow list of the environment, switches, availability.

A tool that is not there is not shown to models, and its calls are answered with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any
from weakref import WeakKeyDictionary

from tooldeck.core.errors import DefinitionError
from tooldeck.core.strangers import error_words, to_repr
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Effect, nearest, read_effects

__all__ = ["ALLOWED_TOOLS", "PATTERN_MARKS", "Gates", "read_allowed", "strict", "unknown_allowed"]

ALLOWED_TOOLS = "TOOLDECK_ALLOWED_TOOLS"
"""The environment variable with the names, or patterns, of the only tools that may be used."""
PATTERN_MARKS = "*?["
"""What makes a pattern of a name."""
FRESH = 30.0
"""Seconds for which the answer of an availability check holds."""


class Gates:
    """The gates of one deck, in the order in which they are asked: allow list, switches, availability.

    `allowed` has the names and patterns that may be used, None allows all; `now` gives monotonic seconds;
    `changed` is called when a switch was turned.
    """

    def __init__(
        self, allowed: tuple[str, ...] | None, now: Callable[[], float], changed: Callable[[], None]
    ) -> None:
        self.allowed = allowed
        self._now = now
        self._changed = changed
        self._switches: list[tuple[bool, str]] = []
        self._effects: frozenset[Effect] = frozenset()
        self._answers: WeakKeyDictionary[Tool, tuple[float, str | None]] = WeakKeyDictionary()

    def of(self, tool: Tool, *, available: bool = False) -> Callable[[], str | None] | None:
        """The function that says why the tool is not there, or None where it always is (until `changed`).

        `available` takes its availability for given, as where results are replayed.
        """
        closed = self._closed(tool)
        if closed is not None:
            return lambda: closed
        return None if tool.available is None or available else lambda: self._unavailable(tool)

    def why_not(self, tool: Tool) -> str | None:
        """Why the tool is not there, in a clause; None where it is."""
        gate = self.of(tool)
        return None if gate is None else gate()

    def switch(self, pattern: str | None, effects: str | Iterable[str] | None, *, on: bool) -> None:
        """Switch tools on or off, by name or pattern, or by what they may do; the last word counts."""
        if (pattern is None) == (effects is None):
            raise DefinitionError("Give the name of a tool, or effects=…, but not both.")
        if pattern is not None:
            if not isinstance(pattern, str) or not pattern:
                raise DefinitionError(f"A tool is switched by its name or a pattern, got {pattern!r}.")
            kept = [one for one in self._switches if one[1] != pattern]
            self._switches = [*kept, (on, pattern)]
        else:
            named = read_effects(effects) or frozenset()
            if not named:
                raise DefinitionError(f"effects must name at least one effect, got {effects!r}.")
            self._effects = self._effects - named if on else self._effects | named
        self._changed()

    def _closed(self, tool: Tool) -> str | None:
        if self.allowed is not None and not any(fnmatchcase(tool.name, one) for one in self.allowed):
            return f"it is not in {ALLOWED_TOOLS}"
        named = [on for on, pattern in self._switches if fnmatchcase(tool.name, pattern)]
        if named:
            return None if named[-1] else "it is switched off"
        if not self._effects:
            return None
        if tool.actions:  # one that is on keeps the tool there
            reasons = [self._closed(action) for action in tool.actions.values()]
            return None if None in reasons else reasons[0]
        if tool.effects is None:
            return f"its effects are undeclared, and {_listed(self._effects)} is switched off"
        off = tool.effects & self._effects
        return f"{_listed(off)} is switched off" if off else None

    def _unavailable(self, tool: Tool) -> str | None:
        """The answer of the tool's check, asked again when it is no longer fresh."""
        now = self._now()
        known = self._answers.get(tool)
        if known is not None and now - known[0] < FRESH:
            return known[1]
        reason = _reason(tool.available)
        self._answers[tool] = (now, reason)
        return reason


def _listed(effects: Iterable[Effect]) -> str:
    return ", ".join(sorted(effects))


def _reason(check: Any) -> str | None:
    """Why a tool is unavailable; a check that fails or says what is not understood does not open it."""
    try:
        answer = check()
        reason = ""
        if isinstance(answer, tuple) and len(answer) == 2:
            answer, reason = answer
    except Exception as error:  # noqa: BLE001 - functions of the author may raise anything
        return f"it is not available: its check raised {error_words(error)}"
    if answer is True:
        return None
    if answer is False:
        return (
            f"it is not available: {reason}" if isinstance(reason, str) and reason else "it is not available"
        )
    if isinstance(answer, str) and answer:
        return f"it is not available: {answer}"
    return f"it is not available: its check answered {to_repr(answer)}, which is no True, False or reason"


def read_allowed(environment: Mapping[str, str]) -> tuple[str, ...] | None:
    """The allow list, None where the variable is not set; raises `DefinitionError` where it lists nothing.

    An empty list is refused because it is more often a mistake in a script than the wish for no tools.
    """
    text = environment.get(ALLOWED_TOOLS)
    if text is None:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise DefinitionError(
            f"{ALLOWED_TOOLS} is set to {text!r}, which names no tool; list names separated by commas, or "
            "unset it to allow all."
        )
    return names


def strict(environment: Mapping[str, str]) -> bool:
    """Whether this is a build server, where a wrong name shall be an error."""
    return environment.get("CI", "").strip().casefold() in {"true", "1", "yes"}


def unknown_allowed(allowed: tuple[str, ...] | None, names: Iterable[str]) -> str | None:
    """A sentence about what the allow list names and no tool is called; None where there is no such name."""
    known = list(names)
    unknown = [one for one in allowed or () if not any(fnmatchcase(name, one) for name in known)]
    if not unknown:
        return None
    close = [near for one in unknown for near in nearest(one, known, 1)]
    hint = f"; did you mean {', '.join(map(repr, close))}?" if close else "."
    return f"{ALLOWED_TOOLS} names {', '.join(map(repr, unknown))}, but there is no such tool{hint}"

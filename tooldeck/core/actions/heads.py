"""What the reading of an action stands on: its options, where a call begins, what an end of the work says."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tooldeck.core.actions.names import Names
from tooldeck.core.actions.records import Action, ActionLimits
from tooldeck.core.actions.writing import format_action

__all__ = [
    "EXAMPLE",
    "HEAD",
    "CallHead",
    "Finish",
    "Options",
    "answer_of",
    "call_head",
    "skip_blanks",
    "with_notes",
    "written",
]

EXAMPLE = 'Action: tool_name(argument="value")'
"""The format, for a model that did not keep it."""

HEAD = re.compile(r"[^\W\d][\w.\-:/＿]*")
_BLANKS = re.compile(r"\s*")
_LINE_BLANKS = re.compile(r"[^\S\n]*")


@dataclass(frozen=True, slots=True)
class Options:
    """What the reading of one text depends on."""

    names: Names
    lone: Mapping[str, str]
    """The parameter of a tool that a value without a name is for."""
    repair: bool | Collection[str]
    """Whether full-width marks and line breaks in quotes are read all the same; or for which tools."""
    strict: bool
    limits: ActionLimits

    def repairs(self, name: str) -> bool:
        """Whether a call of `name` may be repaired."""
        return self.repair if isinstance(self.repair, bool) else name in self.repair


class Finish(NamedTuple):
    """The end of the work, written as an action."""

    answer: str


class CallHead(NamedTuple):
    """A name with the bracket behind it."""

    name: str
    bracket: int


def skip_blanks(text: str, at: int, *, line: bool = False) -> int:
    """Behind the blanks at `at`, byte order marks among them; `line`: up to the end of the line."""
    pattern = _LINE_BLANKS if line else _BLANKS
    while True:
        match = pattern.match(text, at)
        at = match.end() if match else at
        if not text.startswith("\ufeff", at):
            return at
        at += 1


def call_head(text: str, at: int, brackets: str = "(（") -> CallHead | None:
    """The name and the bracket of a call that starts at `at`; None where none does."""
    match = HEAD.match(text, at)
    if match is None:
        return None
    bracket = skip_blanks(text, match.end(), line=True)
    return CallHead(match[0], bracket) if text[bracket : bracket + 1] in tuple(brackets) else None


def with_notes(action: Action, notes: list[str]) -> Action:
    """The action with further notes."""
    name, arguments, source, span = action.name, action.arguments, action.source, action.span
    return Action(
        name, arguments, source, span, action.raw, action.repairs, (*action.notes, *dict.fromkeys(notes))
    )


def answer_of(value: Any) -> str:
    """The answer in what was given to finish with."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, str):
        return value.strip()
    return "" if value in ({}, None) else str(value)


def written(name: str, arguments: Mapping[str, Any]) -> str | None:
    """The call as it should be written; None where it cannot be."""
    try:
        return format_action(name, arguments)
    except ValueError:
        return None

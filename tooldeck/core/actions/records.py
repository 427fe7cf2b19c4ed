"""What reading a model's text gives: an action, a refusal, a whole reply; and the limits of what is read."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar, Literal, NoReturn

from tooldeck.core.errors import ActionError

__all__ = ["Action", "ActionCode", "ActionLimits", "Form", "Refusal", "Reply", "Several", "caret_text"]

Form = Literal["call", "json", "input", "brackets"]
"""``name(key="value")``, a JSON object, ``Action:`` with ``Action Input:``, and ``name[value]``."""
Several = Literal["refuse", "first", "sequential"]
"""What happens to more than one action in a reply: refuse, keep the first, keep all in their order."""

_MOST_CHARS = 1_048_576
_MOST_DEPTH = 64
_EXCERPT = 72


class ActionCode(StrEnum):
    """Why a text was refused."""

    NO_ACTION = "NO_ACTION"
    """The reply holds neither an action nor an answer."""
    NO_CALL = "NO_CALL"
    """Where an action should be there is no call."""
    FINISH = "FINISH"
    """It ends the work, so there is nothing to call; only from `parse_action`."""
    EMPTY_ANSWER = "EMPTY_ANSWER"
    CONFLICT = "CONFLICT"
    """An answer together with an action, or arguments given twice."""
    MULTI = "MULTI"
    """More than one action."""
    TRAILING_TEXT = "TRAILING_TEXT"
    CHAINED = "CHAINED"
    """Something is done with the result of the call."""
    NAME = "NAME"
    """The name of a tool or an argument is not written as names are."""
    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    POSITIONAL = "POSITIONAL"
    STAR = "STAR"
    WALRUS = "WALRUS"
    DUP_ARG = "DUP_ARG"
    DUP_KEY = "DUP_KEY"
    UNQUOTED = "UNQUOTED"
    NESTED_CALL = "NESTED_CALL"
    NON_LITERAL = "NON_LITERAL"
    """An expression where a plain value belongs."""
    VALUE_KIND = "VALUE_KIND"
    """A value that JSON does not have: bytes, sets, complex numbers, an ellipsis."""
    FSTRING = "FSTRING"
    NOT_FINITE = "NOT_FINITE"
    INT_RANGE = "INT_RANGE"
    FULLWIDTH = "FULLWIDTH"
    """Full-width or typographic characters where the grammar wants plain ones."""
    LINE_BREAK = "LINE_BREAK"
    """A line break inside of plain quotes."""
    ESCAPE = "ESCAPE"
    PATH_ESCAPE = "PATH_ESCAPE"
    """A Windows path whose backslashes would be read as escapes."""
    CONTROL_CHAR = "CONTROL_CHAR"
    SURROGATE = "SURROGATE"
    CUT_OFF = "CUT_OFF"
    """The text ends before the call does."""
    SYNTAX = "SYNTAX"
    DEPTH = "DEPTH"
    COMPLEXITY = "COMPLEXITY"
    TOO_LONG = "TOO_LONG"
    TOO_MANY = "TOO_MANY"


@dataclass(frozen=True, slots=True)
class ActionLimits:
    """How much is read; beyond a limit the text is refused before anything is made of it."""

    chars: int = 16_384
    """Characters of one action, at most 1,048,576."""
    reply: int = _MOST_CHARS
    """Characters of a whole reply."""
    tokens: int = 5_000
    """Names, values and marks of one action."""
    depth: int = 16
    """Lists and objects inside of each other, at most 64."""
    keywords: int = 64
    """Arguments of one call."""
    items: int = 1_000
    """Members of one list or object."""
    string: int = 65_536
    """Characters of one text, as written."""
    number: int = 32
    """Characters of one number."""
    integer: int = 2**53
    """The largest whole number, and without its sign the smallest: what JSON carries exactly."""
    actions: int = 32
    """Actions of one reply."""

    def __post_init__(self) -> None:
        most = {"chars": _MOST_CHARS, "depth": _MOST_DEPTH}
        for each in fields(self):
            value = getattr(self, each.name)
            if type(value) is not int or not 1 <= value <= most.get(each.name, value):
                upper = f" up to {most[each.name]}" if each.name in most else ""
                raise ValueError(f"{each.name} must be a whole number from 1{upper}, got {value!r}.")


@dataclass(frozen=True, slots=True)
class Action:
    """One call as a model wrote it: read, not checked against any tool, not run."""

    name: str
    """The tool, after `aliases`."""
    arguments: Mapping[str, Any]
    """JSON values by argument name, in their order."""
    source: Form
    """The form it was written in."""
    span: tuple[int, int]
    """Where it starts and ends in the text, in characters."""
    raw: str
    """What was written there."""
    repairs: tuple[str, ...] = ()
    """What was read otherwise than written, each in a few words."""
    notes: tuple[str, ...] = ()
    """What is unusual about it, though it has one reading."""

    ok: ClassVar[bool] = True

    def unwrap(self) -> Action:
        """The action itself; a `Refusal` raises here."""
        return self


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a text is no action, for a model and for a person; ``str()`` gives all of it."""

    code: ActionCode
    message: str
    """What is wrong and what to do."""
    position: int
    """Where in the text, in characters."""
    caret: str
    """The line it is on and a mark below it."""
    corrected: str | None = None
    """The call as it should be written, where that is certain."""

    ok: ClassVar[bool] = False

    def unwrap(self) -> NoReturn:
        """Raise the refusal as an `ActionError`."""
        raise ActionError(str(self), self)

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.message}", self.caret]
        if self.corrected is not None:
            lines.append(f"Write: {self.corrected}")
        return "\n".join(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's whole reply, taken apart. It has actions, an answer or a refusal, never two of them."""

    thought: str = ""
    """What stands before the action or the answer, without its label."""
    actions: tuple[Action, ...] = ()
    answer: str | None = None
    """The final answer; None while the work goes on."""
    refusal: Refusal | None = None
    text: str = ""
    """The reply without what the model invented: what belongs into the history."""
    invented: str = ""
    """Observations that the model wrote itself, with all that follows them."""
    ignored: tuple[str, ...] = ()
    """Further actions as written, left out because only the first was wanted."""
    notes: tuple[str, ...] = field(default=())
    """What is unusual about the reply."""

    def unwrap(self) -> Reply:
        """The reply itself; raises `ActionError` when it was refused."""
        if self.refusal is not None:
            self.refusal.unwrap()
        return self


def caret_text(text: str, position: int) -> str:
    """The part of the line around `position`, and below it a mark, also where characters are wide."""
    position = max(0, min(position, len(text)))
    start = max(text.rfind("\n", 0, position) + 1, position - _EXCERPT // 2)
    end = text.find("\n", position, start + _EXCERPT)
    shown = "".join(c if c.isprintable() else "�" for c in text[start : start + _EXCERPT if end < 0 else end])
    if not shown:
        return ""
    before = sum(_columns(c) for c in shown[: position - start])
    return f"  {shown}\n  {' ' * before}^"


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1

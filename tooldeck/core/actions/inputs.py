"""The input of an action that is only named: an object or list, a text in quotes, or bare words."""

from __future__ import annotations

from typing import Any, NamedTuple

from tooldeck.core.actions.blocks import open_fence
from tooldeck.core.actions.calls import Calls
from tooldeck.core.actions.faults import Findings, Refused, short
from tooldeck.core.actions.heads import skip_blanks
from tooldeck.core.actions.labels import Label, find_label
from tooldeck.core.actions.literals import read_bare
from tooldeck.core.actions.names import NOTHING
from tooldeck.core.actions.records import ActionCode

__all__ = ["Input", "read_input"]

_QUOTES = {'"': '"', "'": "'"}
_NO_INPUT = {*NOTHING, "", "()"}


class Input(NamedTuple):
    """What was read behind the label of an input."""

    value: Any
    """None where there is none."""
    start: int
    end: int
    next: int
    """The start of the line of the next label, or the end of the text."""


def read_input(calls: Calls, name: str, given: Label, found: Findings) -> Input:
    """The input of the action `name` behind the label `given`; raises `Refused`."""
    text = calls.text
    fence, start = open_fence(text, skip_blanks(text, given.value))
    if start < len(text) and text[start] in "{[":
        value, end = calls.value(start, found)
        stop = _next(text, end)
        rest = text[end:stop].strip().strip("`~").strip()
        if rest:
            found.note(f"left out what follows the input: {short(rest)}")
        return Input(value, start, end, stop)
    stop = _next(text, given.value)
    most = calls.options.limits.chars
    if stop - start > most:
        raise Refused(ActionCode.TOO_LONG, start, f"An input of more than {most} characters.")
    written = text[start:stop].strip().removesuffix(fence).strip()
    return Input(_bare(calls, name, written, start, found), start, max(start, start + len(written)), stop)


def _next(text: str, at: int) -> int:
    label = find_label(text, text.find("\n", at) + 1 or len(text))
    return label.start if label is not None else len(text)


def _bare(calls: Calls, name: str, written: str, at: int, found: Findings) -> Any:
    """What an input that is no object stands for: nothing, or a text."""
    if written.casefold() in _NO_INPUT:
        return None
    head, equals, _ = written.partition("=")
    if equals and head.strip().isidentifier():
        example = f'{{"{head.strip()}": …}}'
        raise Refused(
            ActionCode.SYNTAX, at, f"The input of {short(name)} is no JSON object; write it as {example}"
        )
    if len(written) > 1 and _QUOTES.get(written[0]) == written[-1]:
        made, _ = Calls(f"[{written}]", calls.options).value(0, found)
        if len(made) == 1:
            return made[0]
    return read_bare(calls.text[: at + len(written)], at, found)

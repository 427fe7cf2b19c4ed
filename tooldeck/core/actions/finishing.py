"""The answer that ends the work. It is read leniently: no fault in its quotes may keep the work from it."""

from __future__ import annotations

from tooldeck.core.actions.calls import Calls
from tooldeck.core.actions.faults import Findings, Refused
from tooldeck.core.actions.grammar import Grammar
from tooldeck.core.actions.labels import find_label
from tooldeck.core.actions.scan import CURLY, scan

__all__ = ["final_answer", "finish_answer"]

_CLOSING = {"(": ")", "[": "]", "（": ")）", "［": "]］"}
_KEYS = ("answer", "final_answer", "result", "text", "output")


def final_answer(text: str, at: int) -> tuple[str, int]:
    """What follows the label of the answer, up to an action or observation; and where that starts."""
    end = _region(text, at, ("action", "observation", "thought", "final"))
    return text[at:end].strip(), end


def finish_answer(calls: Calls, bracket: int) -> tuple[str, int]:
    """The answer in ``Finish[…]`` or ``finish(answer="…")``, between brackets; and the next label's line.

    It goes up to the last bracket. Text in quotes is read as in a call where that can be, else as it stands.
    """
    text = calls.text
    end = _region(text, bracket, ("action", "observation"))
    close = max(text.rfind(mark, bracket, end) for mark in _CLOSING.get(text[bracket], ")]"))
    inside = text[bracket + 1 : end if close < 0 else close].strip()
    if text[bracket] in "(（":
        given = _given(calls, text, bracket, close)
        if given is not None:
            return given.strip(), end
        head, equals, rest = inside.partition("=")
        if equals and head.strip().casefold() in _KEYS:
            inside = rest.strip()
    return _unquoted(inside).strip(), end


def _region(text: str, at: int, ends: tuple[str, ...]) -> int:
    """Where the line of the next label of these kinds starts."""
    label = find_label(text, text.find("\n", at) + 1 or len(text), ends)
    return label.start if label is not None else len(text)


def _given(calls: Calls, text: str, bracket: int, close: int) -> str | None:
    """The one argument of the call, if it is written without a fault and ends at the last bracket."""
    found = Findings()
    options = calls.options
    try:
        tokens, end = scan(text, bracket, options.limits, found, call=True)
        named, unnamed = Grammar(
            text, tokens, options.limits, found, strict=options.strict, json=False
        ).arguments()
    except Refused:
        return None
    values = [*named.values(), *unnamed]
    if found.faults or end != close + 1 or len(values) > 1:
        return None
    return "" if not values or values[0] is None else str(values[0])


def _unquoted(text: str) -> str:
    """The text without one pair of quotes around it."""
    for quote in ('"""', "'''"):
        if len(text) >= 6 and text.startswith(quote) and text.endswith(quote):
            return text[3:-3]
    pairs = {'"': '"', "'": "'", **CURLY}
    return text[1:-1] if len(text) >= 2 and pairs.get(text[0]) == text[-1] else text

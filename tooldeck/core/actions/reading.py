"""The two readers for everybody: one action, and a model's whole reply. Nothing is run or looked up."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from tooldeck.core.actions.blocks import open_fence
from tooldeck.core.actions.faults import Refused
from tooldeck.core.actions.heads import EXAMPLE, Options, call_head, skip_blanks
from tooldeck.core.actions.labels import find_label, label_at
from tooldeck.core.actions.literals import SURROGATE
from tooldeck.core.actions.names import Names
from tooldeck.core.actions.records import (
    Action,
    ActionCode,
    ActionLimits,
    Refusal,
    Reply,
    Several,
    caret_text,
)
from tooldeck.core.actions.replies import ReplyReader

__all__ = ["parse_action", "read_reply"]

_LIMITS = ActionLimits()
_POLICIES = ("refuse", "first", "sequential")
_BRACKET = re.compile(r"\w([(（])")
_JSON_CALL = ('"arguments"', '"action_input"', '"tool"')
_BY_SCAN = (ActionCode.DEPTH, ActionCode.COMPLEXITY, ActionCode.TOO_MANY)
"""Reasons that say more than that a text is too long."""

Tools = Mapping[str, Sequence[str]] | Collection[str]


def parse_action(
    text: str,
    *,
    tools: Tools | None = None,
    aliases: Mapping[str, str] | None = None,
    lone: Mapping[str, str] | None = None,
    repair: bool | Collection[str] = False,
    strict: bool = False,
    limits: ActionLimits = _LIMITS,
) -> Action | Refusal:
    """The one call that `text` is, or why it is none. Nothing is evaluated, run or looked up in a deck.

    Understood: ``name(key="value")`` with texts, numbers, True, False, None, lists and objects, bare, behind
    ``Action:``, in a code fence; a JSON object with ``name`` and ``arguments``; ``Action:`` with
    ``Action Input:``. An observation that the model wrote behind the call is left out.

    `tools`: the known names, or a mapping from each to its parameters in their order. Other names are refused
    with the nearest; None lets every name pass. `aliases`: further spellings, also with dots and dashes, and
    the tools they mean. `lone`: for a tool, the parameter that a value without a name is for.
    `repair`: True, or the tools for which it is, reads full-width marks, typographic quotes and line breaks
    in quotes; else they are refused with the corrected call. `strict` refuses ``true`` and ``null`` in calls,
    and backslashes that start no escape.
    `limits` bound the work: 16,384 characters by default.

    Both results have ``ok`` and ``unwrap()``; a refusal raises `ActionError` there. Raises TypeError when
    `text` is no text.
    """
    _check_text(text)
    cut = len(text) > limits.chars
    options = Options(Names(tools, aliases), lone or {}, repair, strict, limits)
    reader = ReplyReader(text[: limits.chars] if cut else text, options)
    try:
        _check_surrogates(reader.text)
        reader.read(_action_without_label(reader.text))
        _check_one(reader)
    except Refused as refused:
        if not cut or refused.code in _BY_SCAN:
            return _refusal(text, refused)
    if cut:
        return _refusal(
            text,
            Refused(
                ActionCode.TOO_LONG, limits.chars, f"{len(text)} characters; {limits.chars} are read at most."
            ),
        )
    return reader.found[0]


def read_reply(
    text: str,
    *,
    tools: Tools | None = None,
    aliases: Mapping[str, str] | None = None,
    lone: Mapping[str, str] | None = None,
    several: Several = "refuse",
    repair: bool | Collection[str] = False,
    strict: bool = False,
    plain_answer: bool = True,
    allow_empty_answer: bool = False,
    limits: ActionLimits = _LIMITS,
) -> Reply:
    """A model's reply taken apart; one that cannot be understood has a `refusal` that tells the model why.

    Labels count at the start of a line only, outside of the texts of a call. An answer is ``Final Answer:``,
    ``Finish[…]`` or ``finish(answer="…")``; with `plain_answer`, also a reply without any label or call. An
    empty answer is refused unless `allow_empty_answer`, for the second time. From an observation that the
    model wrote itself on, everything is left out.

    `several`: ``"refuse"`` more than one action, keep the ``"first"`` and list the others as ignored, or read
    all of them (``"sequential"``): one that cannot be read refuses all. The other options are those of
    `parse_action`. Raises TypeError when `text` is no text, ValueError for an unknown `several`.
    """
    _check_text(text)
    if several not in _POLICIES:
        raise ValueError(f"several must be one of {', '.join(_POLICIES)}, got {several!r}.")
    if len(text) > limits.reply:
        long = Refused(
            ActionCode.TOO_LONG, limits.reply, f"{len(text)} characters; {limits.reply} are read at most."
        )
        return Reply(refusal=_refusal(text, long))
    options = Options(Names(tools, aliases), lone or {}, repair, strict, limits)
    reader = ReplyReader(text, options, several=several, allow_empty_answer=allow_empty_answer)
    try:
        _check_surrogates(text)
        reader.read()
        if not reader.found and reader.answer is None:
            return _without_labels(reader, tools, plain_answer=plain_answer)
    except Refused as refused:
        return _refused_reply(reader, refused)
    return reader.reply()


def _action_without_label(text: str) -> int | None:
    """Where a text starts with an action that has no label; None where labels have to be looked for."""
    at = skip_blanks(text, 0)
    if label_at(text, at) is not None:
        return None
    if _starts_call(text, at) or find_label(text, at, ("action", "finish")) is None:
        return at
    return None


def _starts_call(text: str, at: int) -> bool:
    _, inside = open_fence(text, at)
    return text[inside : inside + 1] in ("{", "[", "(") or call_head(text, inside, "(（[［") is not None


def _check_one(reader: ReplyReader) -> None:
    """Refuse a text that is no call, though it may be something else."""
    if reader.answer is not None:
        raise Refused(
            ActionCode.FINISH, 0, "This ends the work and calls nothing; `read_reply` gives the answer."
        )
    if not reader.found:
        raise Refused(ActionCode.NO_CALL, 0, f"There is no call; write one: {EXAMPLE}")


def _without_labels(reader: ReplyReader, tools: Tools | None, *, plain_answer: bool) -> Reply:
    """A reply in which no label led anywhere: one call, an answer in plain words, or nothing."""
    text = reader.text
    none = Refused(ActionCode.NO_ACTION, 0, f"Neither an action nor an answer; write {EXAMPLE}")
    if find_label(text, skip_blanks(text, 0, line=True)) is not None or not text.strip():
        raise none
    at = skip_blanks(text, 0)
    if _starts_call(text, at):
        try:
            reader.read(at)
        except Refused as refused:
            if refused.code is not ActionCode.NO_CALL:
                raise
        else:
            return reader.reply()
    if not plain_answer or _mentions_call(text, tools):
        raise none
    return Reply(answer=text.strip("\ufeff \t\r\n"), text=text)


def _mentions_call(text: str, tools: Tools | None) -> bool:
    """Whether there is something like a call in a text."""
    if any(word in text for word in _JSON_CALL):
        return True
    names = tuple(tools) if tools is not None else ("",)
    return any(text.endswith(names, 0, match.start(1)) for match in _BRACKET.finditer(text))


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"An action is read from text, got {type(text).__name__}.")


def _check_surrogates(text: str) -> None:
    half = SURROGATE.search(text)
    if half is not None:
        raise Refused(ActionCode.SURROGATE, half.start(), f"Half of a character, U+{ord(half[0]):04X}.")


def _refusal(text: str, refused: Refused) -> Refusal:
    return Refusal(refused.code, refused.message, refused.at, caret_text(text, refused.at), refused.corrected)


def _refused_reply(reader: ReplyReader, refused: Refused) -> Reply:
    """The reply with its refusal. Of what was read only the thought and the cut are kept."""
    read = reader.reply()
    return Reply(read.thought, refusal=_refusal(reader.text, refused), text=read.text, invented=read.invented)

"""The labels of a reply: words at the start of a line that say what follows.

`Thought:`, `Action:`, `Action Input:`, `Observation:` and `Final Answer:`, in English and Chinese, in any
case, with any colon and Markdown.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Label", "find_label", "finish_at", "label_at"]

_KINDS = {
    "thought": ("thought", "thoughts", "思考", "想法"),
    "action": ("action", "行动", "动作"),
    "input": ("action input", "tool input", "行动输入", "动作输入"),
    "observation": ("observation", "observations", "观察", "观察结果"),
    "final": ("final answer", "最终答案"),
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words}
_MARKS = " \t\r\u3000\xa0*#>-_•"
_BLANKS = " \t\u3000\xa0\ufeff"
_BRACKETS = "([（［"
_LONGEST = 40
"""Characters of a label with its number and marks."""


class Label(NamedTuple):
    """A label in a text."""

    kind: str
    """``thought``, ``action``, ``input``, ``observation``, ``final``, or ``finish`` for a bare call of it."""
    start: int
    """Where its line starts."""
    value: int
    """Where what it labels starts."""


def label_at(text: str, start: int) -> Label | None:
    """The label on the line that starts at `start`."""
    at = _behind_marks(text, start)
    if text[at : at + 1].isdecimal():
        at = _behind_number(text, at)
    if finish_at(text, at) is not None:
        return Label("finish", start, at)
    head = text[at : at + _LONGEST].partition("\n")[0].replace("：", ":")
    word, colon, _ = head.partition(":")
    kind = _KIND_OF.get(_plain(word)) if colon else None
    if kind is None:
        return None
    value = at + len(word) + 1
    return Label(kind, start, value + 2 if text.startswith(("**", "__"), value) else value)


def find_label(text: str, start: int, kinds: tuple[str, ...] = ()) -> Label | None:
    """The first label on a line that starts at `start` or later; of these kinds, of any by default."""
    while 0 <= start < len(text):
        label = label_at(text, start)
        if label is not None and (not kinds or label.kind in kinds):
            return label
        start = text.find("\n", start) + 1 or -1
    return None


def finish_at(text: str, at: int, *, blanks: bool = False) -> int | None:
    """The bracket behind the word that ends the work, when that is at `at`: the whole word, in any case.

    `blanks` may stand between them; in plain prose a bracket behind a blank means nothing.
    """
    if text[at : at + 6].casefold() != "finish":
        return None
    bracket = at + 6
    while blanks and text[bracket : bracket + 1] in _BLANKS and bracket < len(text):
        bracket += 1
    return bracket if text[bracket : bracket + 1] in _BRACKETS and bracket < len(text) else None


def _behind_marks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _MARKS:
        at += 1
    return at


def _behind_number(text: str, at: int) -> int:
    """Behind the number of a list, if one is at `at`."""
    end = at
    while end < at + 4 and text[end : end + 1].isdecimal():
        end += 1
    return _behind_marks(text, end + 1) if text[end : end + 1] in (".", ")") and end < len(text) else at


def _plain(word: str) -> str:
    return word.casefold().replace("_", " ").rstrip("0123456789[]# *`").strip(" *`")

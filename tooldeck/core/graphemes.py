"""Places at which a text may be cut without splitting what a reader sees as one character.

After Unicode Standard Annex 29, as far as the tables of `unicodedata` tell: combining marks, joiners, emoji
with their modifiers, flags, Hangul syllables and conjuncts stay whole.
"""

from __future__ import annotations

import unicodedata

__all__ = ["cut_after", "cut_before"]

_REACH = 64
"""Characters that are searched for a place; a longer pile of marks is cut anywhere."""
_JOINER = "\u200d"
_MARKS = frozenset({"Mn", "Me", "Mc"})


def cut_before(text: str, at: int) -> int:
    """The last place at or before `at` where `text` may end."""
    if at >= len(text):
        return len(text)
    places = range(at, max(-1, at - _REACH), -1)
    return next((place for place in places if _may_cut(text, place)), max(0, at))


def cut_after(text: str, at: int) -> int:
    """The first place at or after `at` where `text` may begin."""
    if at <= 0:
        return 0
    places = range(at, min(len(text), at + _REACH) + 1)
    return next((place for place in places if _may_cut(text, place)), min(len(text), at))


def _may_cut(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return before != "\r" or after != "\n"
    if before == _JOINER or _extends(after) or _one_syllable(before, after):
        return False
    if unicodedata.combining(before) == 9 and unicodedata.category(after) == "Lo":
        return False  # a virama joins the next consonant
    return not (_is_flag(before) and _is_flag(after) and _flags_before(text, at) % 2)


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char) in _MARKS
        or char in "\u200c\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag(char: str) -> bool:
    """Whether it is a regional indicator; two of them make a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    start = at
    while start > 0 and at - start < _REACH and _is_flag(text[start - 1]):
        start -= 1
    return at - start


def _one_syllable(before: str, after: str) -> bool:
    """Whether two Hangul letters belong to one syllable."""
    one, other = _hangul(before), _hangul(after)
    return other in {"L": "L V LV LVT", "LV": "V T", "V": "V T", "LVT": "T", "T": "T"}.get(one, "").split()


def _hangul(char: str) -> str:
    if "\uac00" <= char <= "\ud7a3":
        return "LVT" if (ord(char) - 0xAC00) % 28 else "LV"
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    return "T" if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb" else ""

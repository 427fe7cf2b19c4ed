"""Text cut into the pieces that a search looks for.

``words`` are those of languages that put blanks between them; ``pairs`` are, for scripts that do not (Han,
kana, Hangul, Thai, …), every two neighbouring characters and the last one of each run, so that a word of any
length is a phrase or the beginning of a pair. Both are folded: letter case, accents and compatibility forms
away, since SQLite's own tokenizers know the letters of an older Unicode and see no words inside a run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["fold", "index", "pairs_of", "pieces"]

_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u312f\u3130-\u318f"
    "\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_RUNS = re.compile(f"[{_DENSE}]+|[^{_DENSE}]+")
_IS_DENSE = re.compile(f"[{_DENSE}]")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_SIGNS = re.compile(r"[^\w\s\x00-\x7f]")
_PLAIN_WORDS = re.compile(r"[a-z0-9]+")


def fold(text: str) -> str:
    """`text` without letter case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", plain))


@lru_cache(4096)
def _is_part(char: str) -> bool:
    """Whether a character belongs to a word."""
    return unicodedata.category(char)[0] in "LNM"


def _words(folded: str) -> Iterator[str]:
    if folded.isascii():
        yield from _PLAIN_WORDS.findall(folded)
        return
    spaced = "".join(char if _is_part(char) else " " for char in folded)
    yield from spaced.split()


@lru_cache(4096)
def _apart(sign: str) -> str:
    """A sign that stands for letters or digits, such as ™ or ㎏, as a word of its own; others as they are."""
    letters = any(map(_is_part, unicodedata.normalize("NFKC", sign)))
    return f" {sign} " if letters and not _is_part(sign) else sign


def pieces(text: str) -> Iterator[tuple[bool, list[str]]]:
    """The text in order: runs of a dense script, each as one text, and the words between them."""
    apart = text if text.isascii() else _SIGNS.sub(lambda sign: _apart(sign[0]), text)
    for run in _RUNS.findall(fold(apart)):
        if not _IS_DENSE.match(run):
            yield False, list(_words(run))
            continue
        for word in _words(run):
            yield True, [word]


def pairs_of(run: str) -> list[str]:
    """Every two neighbouring characters of a run, and its last one."""
    return [run[place : place + 2] for place in range(len(run))]


def index(text: str) -> tuple[str, str]:
    """What of a text goes into the columns ``words`` and ``pairs``."""
    if text.isascii():
        return " ".join(_PLAIN_WORDS.findall(text.lower())), ""
    words: list[str] = []
    pairs: list[str] = []
    for dense, found in pieces(text):
        if dense:
            pairs += pairs_of(found[0])
        else:
            words += found
    return " ".join(words), " ".join(pairs)

"""Text cut into the pieces that a search looks for.

``words`` are those of languages that put blanks between them; ``pairs`` are, for scripts that do not (Han,
kana, Hangul, Thai, …), every two neighbouring characters and the last one of each run, so that a word of any
length is a phrase or the beginning of a pair. Both are folded: letter case, accents and compatibility forms
away, since SQLite's own tokenizers know the letters of an older Unicode and see no words inside a run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

__all__ = ["fold", "index", "pairs_of", "pieces", "words_of"]

_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u312f\u3130-\u318f"
    "\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_RUNS = re.compile(f"[{_DENSE}]+|[^{_DENSE}]+")
_IS_DENSE = re.compile(f"[{_DENSE}]")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_PLAIN_WORDS = re.compile(r"[a-z0-9]+")


def fold(text: str) -> str:
    """`text` without letter case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", plain))


class _Table(dict[int, str]):
    """What `str.translate` makes of a character, found out when the character first comes."""

    _MOST = 8_192

    def __init__(self, made_of: Callable[[str], str]) -> None:
        super().__init__()
        self._made_of = made_of

    def __missing__(self, code: int) -> str:
        if len(self) >= self._MOST:
            self.clear()
        made = self[code] = self._made_of(chr(code))
        return made


def _is_part(char: str) -> bool:
    """Whether a character belongs to a word."""
    return unicodedata.category(char)[0] in "LNM"


def _apart(char: str) -> str:
    """A sign that stands for letters or digits, such as ™ or ㎏, as a word of its own; others as they are."""
    if _is_part(char):
        return char
    return f" {char} " if any(map(_is_part, unicodedata.normalize("NFKC", char))) else char


_SPACED = _Table(lambda char: char if _is_part(char) else " ")
_APART = _Table(_apart)


def _tokens(text: str) -> Iterator[tuple[bool, str]]:
    """The words and the runs of a dense script in order, and whether one is such a run."""
    if text.isascii():
        for word in _PLAIN_WORDS.findall(text.lower()):
            yield False, word
        return
    if not unicodedata.is_normalized("NFKC", text):
        text = text.translate(_APART)
    for word in fold(text).translate(_SPACED).split():
        if word.isascii():
            yield False, word
            continue
        for run in _RUNS.findall(word):
            yield _IS_DENSE.match(run) is not None, run


def pieces(text: str) -> Iterator[tuple[bool, list[str]]]:
    """The text in order: runs of a dense script, each as one text, and the words between them."""
    between: list[str] = []
    for dense, token in _tokens(text):
        if not dense:
            between.append(token)
            continue
        if between:
            yield False, between
            between = []
        yield True, [token]
    if between:
        yield False, between


def pairs_of(run: str) -> list[str]:
    """Every two neighbouring characters of a run, and its last one."""
    return [run[place : place + 2] for place in range(len(run))]


def words_of(text: str) -> list[str]:
    """The words between the runs of dense scripts, folded."""
    return [token for dense, token in _tokens(text) if not dense]


def index(text: str) -> tuple[str, str]:
    """What of a text goes into the columns ``words`` and ``pairs``, which the tokenizer ``ascii`` reads."""
    if text.isascii():
        return text, ""  # that tokenizer finds the same words in it, and quicker
    words: list[str] = []
    pairs: list[str] = []
    for part in text.split():  # no word goes across a blank, and most parts are plain
        if part.isascii():
            words.append(part)
            continue
        for dense, token in _tokens(part):
            if dense:
                pairs += pairs_of(token)
            else:
                words.append(token)
    return " ".join(words), " ".join(pairs)

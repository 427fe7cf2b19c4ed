"""The main part of a page, without menus and the like, by trafilatura where that is installed.

It finds that part well, but leaves headings, code and definitions out of some. So it only says where the part
begins and ends, and the text between is that of our own reader, which leaves nothing out.
"""

from __future__ import annotations

import importlib.util
import re
from concurrent.futures import TimeoutError as TooLate
from typing import NamedTuple

from tooldeck.core.errors import TooManyHungBodies
from tooldeck.hosts.threads import leave_behind, start

__all__ = ["main_part"]

PATIENCE = 5.0
"""Seconds for finding the main part of a page."""
_SMALL = 1_500
"""Characters of a page that is not worth shortening."""
_LOST = ("```", "\n|")
"""Marks of code and of the rows of tables."""
_TOO_SHORT = 0.1
"""Below this share of the whole text, what was taken for the main part is not it."""
_LEAST, _MOST = 0.7, 3.0
"""How many times the words of the article lie between its ends, where these are in the right places."""
_KEY = 6
"""Words by which an end is found."""
_TRIES = 5
"""Paragraphs that are tried for it."""
_NEAR = 400
"""Characters before the first paragraph in which its headings are looked for."""
_WORD = re.compile(r"[^\W_]+")
_TARGET = re.compile(r"\]\([^()\s]*\)")
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)


def main_part(html: str, url: str, whole: str) -> str:
    """The main part of a page, whose whole text is given as Markdown; the whole where none is found."""
    if len(whole) < _SMALL:
        return whole
    article = _article(html, url)
    if article is None or len(article) < _TOO_SHORT * len(whole):
        return whole
    part = _between(article, whole)
    if part is not None:
        return part
    return whole if any(whole.count(mark) > article.count(mark) for mark in _LOST) else article.strip()


def _article(html: str, url: str) -> str | None:
    """What trafilatura takes for the main part, where it is installed and comes to an end in time."""
    if importlib.util.find_spec("trafilatura") is None:
        return None
    import trafilatura

    def work() -> str | None:
        return trafilatura.extract(
            html, url=url, output_format="markdown", include_links=True, include_tables=True,
            include_comments=False,
        )  # fmt: skip

    try:
        extracting = start(work, "web")
    except TooManyHungBodies:
        return None
    try:
        return extracting.result(PATIENCE)
    except TooLate:
        leave_behind(extracting, "web")  # some pages are made to keep readers busy
        return None


class _Words(NamedTuple):
    """The words of a text, apart from where links lead, and where each begins and ends."""

    line: str
    """All of them, with a blank before and after each."""
    spans: list[tuple[int, int]]

    @classmethod
    def of(cls, text: str) -> _Words:
        bare = _TARGET.sub(lambda found: "]" + " " * (len(found[0]) - 1), text)
        found = list(_WORD.finditer(bare))
        return cls("".join(f" {one[0].casefold()}" for one in found) + " ", [one.span() for one in found])

    def place(self, key: str, *, last: bool) -> int | None:
        """The number of the word at which `key` begins, the first or the last time it occurs."""
        at = self.line.rfind(key) if last else self.line.find(key)
        return None if at < 0 else self.line.count(" ", 0, at)


def _between(article: str, whole: str) -> str | None:
    """The part of the whole text from the article's beginning to its end; None where these are unclear."""
    words = _Words.of(whole)
    paragraphs = [_WORD.findall(_TARGET.sub("]", one).casefold()) for one in article.split("\n")]
    paragraphs = [one for one in paragraphs if len(one) >= _KEY]
    first = _end(words, paragraphs[:_TRIES], last=False)
    final = _end(words, paragraphs[: -_TRIES - 1 : -1], last=True)
    if first is None or final is None or final < first:
        return None
    if not _LEAST <= (final - first) / sum(map(len, paragraphs)) <= _MOST:
        return None
    start, stop = words.spans[first][0], words.spans[final][1]
    near = max(0, start - _NEAR)
    heading = _HEADING.search(whole, near, start)
    start = whole.rfind("\n", 0, start) + 1 if heading is None else heading.start()
    end = whole.find("\n", stop)
    return whole[start : end if end >= 0 else None].strip("\n")


def _end(words: _Words, paragraphs: list[list[str]], *, last: bool) -> int | None:
    """The number of the first word of the article in the whole text, or of its last one."""
    for one in paragraphs:
        key = one[-_KEY:] if last else one[:_KEY]
        place = words.place(f" {' '.join(key)} ", last=last)
        if place is not None:
            return place + _KEY - 1 if last else place
    return None

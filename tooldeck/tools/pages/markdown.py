"""HTML to Markdown by the standard library's parser: headings, lists, tables, code, links; no scripts.

What is left out is what nobody reads: scripts, styles, forms and, unless the whole page is wanted, the
navigation around the text.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import suppress
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urljoin

__all__ = ["Markdown", "read_html"]

LONGEST = 2_000_000
"""Characters of HTML that are read."""
PATIENCE = 2.0
"""Seconds of computing for one page."""
_SILENT = {"script", "style", "noscript", "template", "svg", "math", "iframe", "object", "select", "button"}
_AROUND = {"nav", "footer", "aside"}
_NEVER_CLOSED = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    "p", "li", "dt", "dd", "tr", "td", "th", "option",
}  # fmt: skip
"""Elements that have no end, or whose end may be left out, so that hiding them could hide the rest."""
_BLOCKS = {
    "address", "article", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "header", "html", "main", "nav", "p", "section", "summary",
    "aside", "ul", "ol", "table",
}  # fmt: skip
_DEEPEST = 8
"""Levels of lists that are indented."""
_WIDEST = 100
"""Columns up to which short rows of a table are filled up."""
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_INLINE = {"b": "**", "strong": "**", "em": "*", "i": "*", "code": "`"}
_OPENS = {
    **dict.fromkeys(_BLOCKS, "\n\n"),
    **{tag: f"\n\n{marks} " for tag, marks in _HEADINGS.items()},
    **_INLINE,
    "blockquote": "\n\n> ",
    "br": "\n",
    "hr": "\n\n---\n\n",
    "pre": "\n\n```\n",
}
_SAFE_LINK = re.compile(r"https?://", re.IGNORECASE)


class Markdown(NamedTuple):
    """A page that was read."""

    title: str
    text: str
    links: tuple[tuple[str, str], ...]
    """The words and the absolute address of each link, in order."""
    tables: int
    """How many tables there are."""
    complete: bool = True
    """Whether all of it was read."""


def read_html(html: str, base: str = "", *, whole: bool = False) -> Markdown:
    """Read a page; `base` is its address, `whole` keeps what is around the text.

    Never raises. Broken HTML, which the standard library reads in quadratic time, is read for `PATIENCE`
    seconds only.
    """
    reader = _Reader(base, whole=whole)
    with suppress(_GivenUp):
        reader.feed(html[:LONGEST])
        reader.close()
    return reader.result(complete=len(html) <= LONGEST and not reader.given_up)


class _GivenUp(Exception):
    """The page takes too long."""


class _Reader(HTMLParser):
    def __init__(self, base: str, *, whole: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._base = base
        self._silent = _SILENT if whole else _SILENT | _AROUND
        self._hushed: list[str] = []
        """The open elements that nothing is read of."""
        self._depths: Counter[str] = Counter()
        """How often each of them is open."""
        self._out: list[str] = []
        self._title: list[str] = []
        self._in_title = False
        self._pre = 0
        self._lists: list[int] = []
        """For each open list the number of the next item; 0 where items have bullets."""
        self._links: list[tuple[str, str]] = []
        self._link: tuple[str, int] | None = None
        self._cells: list[list[str]] | None = None
        """The rows of the open table."""
        self._cell_at: int | None = None
        self._tables = 0
        self._steps = 0
        self._deadline = time.thread_time() + PATIENCE
        self.given_up = False

    def updatepos(self, i: int, j: int) -> int:
        """Called by the parser after every step."""
        self._steps += 1
        if self._steps % 8 == 0 and time.thread_time() > self._deadline:
            self.given_up = True
            raise _GivenUp
        return j

    def result(self, *, complete: bool) -> Markdown:
        self._close_table()
        text = re.sub(r"(?<![ \t])[ \t]+\n", "\n", "".join(self._out))
        text = re.sub(r"\n{3,}", "\n\n", text).strip()
        title = " ".join("".join(self._title).split())
        if not title:
            heading = re.search(r"^#+ (.+)$", text, re.MULTILINE)
            title = heading[1] if heading else ""
        return Markdown(title[:500], text, tuple(self._links), self._tables, complete)

    # -- what the parser tells

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "title" and not self._hushed:
            self._in_title = not self._title
        if tag == "base" and given.get("href"):
            self._base = urljoin_safely(self._base, given["href"] or "")
        hidden = "hidden" in given or given.get("aria-hidden") == "true" or _invisible(given.get("style"))
        if self._hushed or tag in self._silent or hidden:
            if tag not in _NEVER_CLOSED:
                self._hushed.append(tag)
                self._depths[tag] += 1
            if self._hushed:
                return
        self._open(tag, given)

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if self._hushed:
            if self._depths[tag]:
                closed = ""
                while closed != tag:
                    closed = self._hushed.pop()
                    self._depths[closed] -= 1
            return
        self._end(tag)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._title.append(data)
        elif not self._hushed:
            self._put(data if self._pre else re.sub(r"\s+", " ", data))

    # -- elements

    def _open(self, tag: str, given: dict[str, str | None]) -> None:
        if tag in {"ul", "ol"}:
            self._lists.append(1 if tag == "ol" else 0)
            self._put("" if len(self._lists) > 1 else "\n\n")
        elif tag == "li":
            self._item()
        elif tag == "a":
            self._open_link(given.get("href"))
        elif tag == "img" and given.get("alt"):
            self._put(f"[{given['alt']}]")
        elif tag in {"table", "tr", "td", "th"}:
            self._open_cell(tag)
        elif tag not in _INLINE or not self._pre:
            self._pre += tag == "pre"
            self._put(_OPENS.get(tag, ""))

    def _end(self, tag: str) -> None:
        if tag in _HEADINGS or tag in _BLOCKS:
            if tag in {"ul", "ol"} and self._lists:
                self._lists.pop()
            if tag == "table":
                self._close_table()
            self._put("\n" if self._lists else "\n\n")
        elif tag == "pre" and self._pre:
            self._pre -= 1
            self._put("\n```\n\n")
        elif tag == "a":
            self._close_link()
        elif tag in {"td", "th"}:
            self._close_cell()
        elif tag in _INLINE and not self._pre:
            self._put(_INLINE[tag])

    def _item(self) -> None:
        number = self._lists[-1] if self._lists else 0
        if number:
            self._lists[-1] += 1
        indent = "  " * min(_DEEPEST, len(self._lists) - 1)
        self._put(f"\n{indent}{number}. " if number else f"\n{indent}- ")

    def _open_link(self, href: str | None) -> None:
        self._close_link()
        target = urljoin_safely(self._base, (href or "").strip())
        if _SAFE_LINK.match(target):
            self._link = (target, len(self._out))

    def _close_link(self) -> None:
        if self._link is None:
            return
        target, at = self._link
        self._link = None
        words = " ".join("".join(self._out[at:]).split())
        if words:
            self._out[at:] = [f"[{words}]({target})"]
            self._links.append((words, target))

    # -- tables

    def _open_cell(self, tag: str) -> None:
        self._close_cell()
        if tag == "table":
            self._close_table()
            self._cells = []
        elif self._cells is not None and tag == "tr":
            self._cells.append([])
        elif self._cells:
            self._cell_at = len(self._out)

    def _close_cell(self) -> None:
        if self._cell_at is None or not self._cells:
            return
        self._close_link()
        words = " ".join("".join(self._out[self._cell_at :]).split()).replace("|", "\\|")
        del self._out[self._cell_at :]
        self._cells[-1].append(words)
        self._cell_at = None

    def _close_table(self) -> None:
        self._close_cell()
        rows = [row for row in self._cells or () if row]
        self._cells = None
        if not rows:
            return
        self._tables += 1
        width = max(map(len, rows))
        if width <= _WIDEST:
            rows = [row + [""] * (width - len(row)) for row in rows]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, f"|{' --- |' * width}")
        self._put("\n\n" + "\n".join(lines) + "\n\n")

    def _put(self, text: str) -> None:
        if self._out and text[:1] == " " and self._out[-1][-1:] in {" ", "\n"} and not self._pre:
            text = text[1:]
        if text:
            self._out.append(text)


def urljoin_safely(base: str, href: str) -> str:
    """The absolute address of a link; empty where it is malformed."""
    try:
        return urljoin(base, href)
    except ValueError:
        return ""


def _invisible(style: str | None) -> bool:
    bare = (style or "").replace(" ", "").lower()
    return "display:none" in bare or "visibility:hidden" in bare

"""From the bytes of a page to its text: HTML as Markdown, JSON, CSV, PDF and plain text by their readers."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from dataclasses import dataclass
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.tools.pages.articles import main_part
from tooldeck.tools.pages.bodies import decode, kind_of
from tooldeck.tools.pages.markdown import read_html
from tooldeck.tools.seeing.decoding import pdf_texts

__all__ = ["Page", "page_of", "read_page"]

MOST_PAGES = 300
"""Pages of a PDF that are read."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read."""

    kind: str
    """``html``, ``json``, ``csv``, ``pdf`` or ``text``."""
    title: str
    text: str
    charset: str = ""
    links: tuple[tuple[str, str], ...] = ()
    """The words and the address of each link."""
    notes: tuple[str, ...] = ()
    """What a reader should know of how it was read."""


async def page_of(body: bytes, content_type: str, url: str, *, whole: bool = False) -> Page:
    """Read what a server sent; `whole` keeps menus and the like.

    Raises `ExpectedError` for what has no text, `SetupError` for a reader that is missing.
    """
    if kind_of(_media_type(content_type), body) == "pdf":
        return await _pdf(body)
    return await asyncio.to_thread(read_page, body, content_type, url, whole=whole)


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def read_page(body: bytes, content_type: str, url: str, *, whole: bool = False) -> Page:
    """Read a page that is a text of some kind; as `page_of`."""
    media_type, rest = _media_type(content_type), content_type.partition(";")[2]
    kind = kind_of(media_type, body, _charset(rest))
    if kind not in {"html", "json", "csv", "text"}:
        raise ExpectedError(
            f"What is at this address is {kind!r}, {len(body):,} bytes, and no text to be read."
        )
    decoded = decode(body, _charset(rest), markup=kind == "html" or "xml" in media_type)
    notes = [f"Its characters: {decoded.note}."] if decoded.note else []
    if kind == "html":
        return _html(decoded.text, decoded.charset, url, notes, whole=whole)
    if kind == "json":
        return Page(kind, "", _json(decoded.text, notes), decoded.charset, notes=tuple(notes))
    if kind == "csv":
        notes.append(_about_table(decoded.text))
    return Page(kind, "", decoded.text, decoded.charset, notes=tuple(notes))


def _charset(parameters: str) -> str | None:
    for part in parameters.split(";"):
        name, _, value = part.strip().partition("=")
        if name.strip().lower() == "charset" and value:
            return value.strip(" \"'")
    return None


def _html(html: str, charset: str, url: str, notes: list[str], *, whole: bool) -> Page:
    plain = read_html(html, url, whole=whole)
    if not plain.complete:
        notes.append("Only its beginning was read: it is too long, or too broken.")
    text = main_part(html, url, plain.text) if plain.complete and not whole else plain.text
    return Page("html", plain.title, text, charset, plain.links, tuple(notes))


def _json(text: str, notes: list[str]) -> str:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        notes.append(f"It is no valid JSON: {error}.")
        return text
    return text if "\n" in text.strip() else json.dumps(value, ensure_ascii=False, indent=1)


def _about_table(text: str) -> str:
    """What kind of table a text is, in words."""
    try:
        dialect: Any = csv.Sniffer().sniff(text[:10_000], ",;\t|")
    except csv.Error:
        dialect = csv.excel
    try:
        rows = [row for row in csv.reader(io.StringIO(text), dialect) if row]
    except csv.Error as error:
        return f"It is no regular table: {error}."
    columns = len(rows[0]) if rows else 0
    uneven = sum(len(row) != columns for row in rows)
    odd = f"; {uneven} of them have another number" if uneven else ""
    return f"A table of {len(rows)} rows with {columns} columns, parted by {dialect.delimiter!r}{odd}."


async def _pdf(body: bytes) -> Page:
    total, read = await pdf_texts(body, "The PDF", most=MOST_PAGES)
    found = [f"## Page {one.page}\n\n{one.text}" for one in read if one.text.strip()]
    if not found:
        scan = "it may be a scan" if any(one.pictures for one in read) else "nor are there pictures"
        raise ExpectedError(f"The PDF has {total} pages and no text in it; {scan}.")
    notes = () if total <= len(read) else (f"Only its first {len(read)} of {total} pages were read.",)
    return Page("pdf", "", "\n\n".join(found), notes=notes)

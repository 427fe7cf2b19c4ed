"""From the bytes of a page to its text: HTML as Markdown, JSON, CSV, PDF and plain text by their readers."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
from dataclasses import dataclass
from typing import Any

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.tools.pages.bodies import decode, kind_of
from tooldeck.tools.pages.markdown import LONGEST, read_html

__all__ = ["Page", "pdf_pages", "read_page"]

MOST_PAGES = 300
"""Pages of a PDF that are read."""
_TOO_SHORT = 0.1
"""Below this share of the plain text, what a reader took for the article is not the article."""


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


def read_page(body: bytes, content_type: str, url: str, *, whole: bool = False) -> Page:
    """Read what a server sent; `whole` keeps menus and the like.

    Raises `ExpectedError` for what has no text, `SetupError` for a reader that is missing.
    """
    media_type, _, rest = content_type.partition(";")
    media_type = media_type.strip().lower()
    kind = kind_of(media_type, body)
    if kind == "pdf":
        return _pdf(body)
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
    text = plain.text
    if plain.complete and not whole:
        article = _article(html[:LONGEST], url)
        if article is not None and len(article) >= _TOO_SHORT * len(text):
            text = article
    return Page("html", plain.title, text, charset, plain.links, tuple(notes))


def _article(html: str, url: str) -> str | None:
    """The main part of a page by trafilatura, where that is installed and finds one."""
    if importlib.util.find_spec("trafilatura") is None:
        return None
    import trafilatura

    return trafilatura.extract(
        html,
        url=url,
        output_format="markdown",
        include_links=True,
        include_tables=True,
        include_comments=False,
    )


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


def _pdf(body: bytes) -> Page:
    pages = pdf_pages(body)
    found = [f"## Page {number}\n\n{text}" for number, text in enumerate(pages, 1) if text.strip()]
    if not found:
        raise ExpectedError(f"The PDF has {len(pages)} pages and no text in it; it may be a scan.")
    notes = () if len(pages) < MOST_PAGES else (f"Only its first {MOST_PAGES} pages were read.",)
    return Page("pdf", "", "\n\n".join(found), notes=notes)


def pdf_pages(body: bytes) -> list[str]:
    """The text of each page of a PDF, up to `MOST_PAGES`; raises `ExpectedError` where it cannot be read."""
    try:
        import pypdfium2 as pdfium
    except ImportError:
        raise SetupError("Reading PDF needs the package pypdfium2: pip install 'tooldeck[media]'.") from None
    try:
        document = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        why = "it is encrypted" if "password" in str(error).lower() else "it is damaged"
        raise ExpectedError(f"The PDF cannot be read: {why}.") from None
    try:
        return [_page_text(document, number) for number in range(min(len(document), MOST_PAGES))]
    finally:
        document.close()


def _page_text(document: Any, number: int) -> str:
    page = document[number]
    words = page.get_textpage()
    try:
        return words.get_text_bounded().replace("\r\n", "\n")
    finally:
        words.close()
        page.close()

"""A file as text that can be changed without touching what is not meant.

Encoding, byte order mark and the end of every single line are kept: an edit of one line leaves the bytes of
the others as they were, also where their ends are mixed.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import dataclass, replace

from tooldeck.core.errors import ExpectedError

__all__ = ["BINARY_STARTS", "Document", "NotText", "decode", "digest", "fresh", "same_digest"]

_ENDS = re.compile(r"\r?\n")
_BOMS = (  # longest first: one begins with another
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_KINDS = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
)
BINARY_STARTS = tuple(start for start, _ in _KINDS)
"""How files begin that are no text, whatever follows."""
DIGITS = 16
"""Hexadecimal digits of a hash as it is shown: 64 bits."""


class NotText(ExpectedError):
    """The file cannot be read as text; says what it is."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text with what its bytes need beside it."""

    text: str
    """With line feeds as ends, whichever the file has."""
    ends: tuple[str, ...] = ()
    """How each line that has an end really ends."""
    encoding: str = "utf-8"
    bom: bytes = b""
    guessed: bool = False
    """Whether nothing says that the encoding is this one, beside that every byte fits."""

    @property
    def end(self) -> str:
        """The end that most lines have."""
        return "\r\n" if self.ends.count("\r\n") * 2 > len(self.ends) else "\n"

    @property
    def lines(self) -> list[str]:
        """The lines without their ends; a final end begins no further line."""
        lines = self.text.split("\n")
        return lines if lines[-1] else lines[:-1]

    @property
    def newline(self) -> str:
        """The ends in words: ``LF``, ``CRLF`` or ``mixed``."""
        kinds = set(self.ends)
        return "mixed" if len(kinds) > 1 else "CRLF" if "\r\n" in kinds else "LF"

    def spliced(self, start: int, stop: int, new: str) -> Document:
        """With `new` in place of the characters from `start` to `stop`.

        Its lines end as those they replace, further ones as most in the file.
        """
        before, inside = self.text.count("\n", 0, start), self.text.count("\n", start, stop)
        given = _plain(new)
        wanted = given.count("\n")
        kept = self.ends[before : before + min(inside, wanted)]
        made = kept + (self.end,) * (wanted - len(kept))
        return replace(
            self,
            text=self.text[:start] + given + self.text[stop:],
            ends=self.ends[:before] + made + self.ends[before + inside :],
        )

    def with_text(self, new: str) -> Document:
        """With another text throughout; what both begin and end with keeps its own ends of lines."""
        old, given = self.text, _plain(new)
        least = min(len(old), len(given))
        start = next((at for at in range(least) if old[at] != given[at]), least)
        end = next((at for at in range(least - start) if old[-1 - at] != given[-1 - at]), least - start)
        return self.spliced(start, len(old) - end, given[start : len(given) - end])

    def with_lines(self, start: int, stop: int, new: list[str]) -> Document:
        """With other lines in place of those from `start` up to `stop`, counted from 0.

        Whether the last line has an end stays as it is; what is put into an empty text gets one.
        """
        starts = self._starts()
        count = len(starts) - 1
        open_end = bool(self.text) and not self.text.endswith("\n")
        first, last = starts[start], starts[stop]
        made = "".join(f"{line}\n" for line in new)
        if open_end and stop == count:
            made = made.removesuffix("\n")
            if start == count and new:
                made = f"\n{made}"
            elif not new and start and start < stop:
                first -= 1  # the line before is the last one now
        return self.spliced(first, last, made)

    def _starts(self) -> list[int]:
        """Where each line begins, and where the last one ends."""
        starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        return starts if self.text.endswith("\n") or not self.text else [*starts, len(self.text)]

    def encode(self) -> bytes:
        """The bytes of the file; raises `NotText` for a character that the encoding does not have."""
        text = self.text
        if "\r\n" in self.ends:
            pieces = text.split("\n")
            text = "".join(piece + end for piece, end in zip(pieces, (*self.ends, ""), strict=True))
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            odd = text[error.start : error.start + 1]
            raise NotText(
                f"The file is {self.encoding}, which has no {odd!r}; write it anew as utf-8, or leave it out."
            ) from None


def decode(data: bytes, path: str, encoding: str | None = None) -> Document:
    """The text of a file: by its byte order mark, as `encoding`, as UTF-8, else as what every byte fits.

    Raises `NotText` for data that is no text, and where the given encoding is unknown or does not fit.
    """
    for bom, name in _BOMS:
        if data.startswith(bom):
            return _read(data[len(bom) :], name, path, bom)
    if encoding is not None:
        return _read(data, _known(encoding), path)
    if b"\0" in data:
        kind = next((words for start, words in _KINDS if data.startswith(start)), "binary data")
        raise NotText(f"{path!r} is no text but {kind} of {len(data)} bytes.")
    try:
        return _read(data, "utf-8", path)
    except NotText:
        if any(data.startswith(start) for start, _ in _KINDS):
            raise
    for name in ("cp1252", "latin-1"):
        try:
            return replace(_read(data, name, path), guessed=True)
        except NotText:
            continue
    raise AssertionError("every byte is a character of latin-1")


def fresh(text: str) -> Document:
    """A new text as it was given: with its own ends, in UTF-8."""
    return Document(_plain(text), tuple(_ENDS.findall(text)))


def digest(data: bytes) -> str:
    """The hash of a file as it is shown: the first `DIGITS` of its SHA-256."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def same_digest(data: bytes, given: str) -> bool:
    """Whether a hash that somebody gives is that of the data; it may be longer than what is shown."""
    whole = hashlib.sha256(data).hexdigest()
    return len(given) >= DIGITS and whole.startswith(given.strip().casefold())


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _known(encoding: str) -> str:
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError):
        raise NotText(f"There is no encoding {encoding!r}; try utf-8, utf-16, cp1252 or latin-1.") from None
    if not getattr(found, "_is_text_encoding", True):
        raise NotText(f"{encoding!r} is no encoding of text; try utf-8, utf-16, cp1252 or latin-1.")
    return {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8-sig": "utf-8"}.get(found.name, found.name)


def _read(data: bytes, encoding: str, path: str, bom: bytes = b"") -> Document:
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, UnicodeError) as error:
        where = f" (byte {error.start})" if isinstance(error, UnicodeDecodeError) else ""
        raise NotText(f"{path!r} is not {encoding}{where}; give its encoding, such as cp1252.") from None
    return Document(_plain(text), tuple(_ENDS.findall(text)), encoding, bom)

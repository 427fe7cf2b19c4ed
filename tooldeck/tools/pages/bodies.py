"""The body of a response: unpacked piece by piece within a limit, told what it is, and decoded."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from tooldeck.core.errors import ExpectedError, TransientError
from tooldeck.tools.kinds import media_type_of

__all__ = ["Decoded", "decode", "kind_of", "read_body"]

_ZLIB_OR_GZIP, _RAW = 47, -15
_SNIFFED = 2_048
_ENOUGH = 40
"""Bytes beyond ASCII from which on a charset can be guessed; below, it is that of most such pages."""
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_META = re.compile(
    rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w:.-]{2,40})"
    rb"|<\?xml[^>]{0,100}encoding\s*=\s*[\"']([\w:.-]{2,40})",
    re.IGNORECASE,
)
# What browsers read under these names, after the WHATWG encoding standard.
_READ_AS: Mapping[str, str] = MappingProxyType(
    {
        "ascii": "cp1252", "big5": "big5hkscs", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030",
        "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "shift_jis": "cp932",
        "tis-620": "cp874",
    }
)  # fmt: skip
_TEXTUAL = re.compile(r"utf|cp\d|iso8859|koi8|mac|big5|gb|hz$|euc|shift|johab|tis|iso2022", re.IGNORECASE)


class Decoded(NamedTuple):
    """A body as text."""

    text: str
    charset: str
    note: str = ""
    """What was wrong about what the page said of itself, or empty."""


async def read_body(response: Any, most: int) -> bytes:
    """The unpacked body of a streamed response; raises `ExpectedError` where it is larger than `most` bytes.

    Never more than that is unpacked, whatever a few packed bytes would become.
    """
    if response.is_stream_consumed:  # by a transport that makes answers of its own, unpacked already
        if len(response.content) > most:
            raise _too_big(most)
        return response.content
    unpacking = _unpacking(response.headers.get("content-encoding", ""))
    if unpacking is None and int(response.headers.get("content-length", "0").strip() or 0) > most:
        raise _too_big(most)
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk if unpacking is None else unpacking.more(chunk, most - len(body) + 1)
        if len(body) > most:
            raise _too_big(most)
    if unpacking is not None and unpacking.is_cut:
        raise TransientError("The page is damaged: it ends before it is complete.")
    return bytes(body)


def _too_big(most: int) -> ExpectedError:
    return ExpectedError(f"The page is larger than {most:,} bytes, which is more than is read.")


class _Unpacking:
    """Unpacks gzip and deflate, a limited number of bytes at a time."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(_ZLIB_OR_GZIP)
        self._begun = False

    @property
    def is_cut(self) -> bool:
        """Whether what was sent so far has a beginning and no end."""
        return self._begun and not self._inflate.eof

    def more(self, chunk: bytes, most: int) -> bytes:
        """The next bytes, at most so many; what is left over is given up, since the limit is passed then."""
        try:
            return self._inflate.decompress(chunk, most)
        except zlib.error:
            if self._begun:
                raise ExpectedError("The page is damaged: what was sent cannot be unpacked.") from None
        finally:
            self._begun = True
        self._inflate = zlib.decompressobj(_RAW)  # servers that send deflate without its heading
        return self.more(chunk, most)


def _unpacking(encoding: str) -> _Unpacking | None:
    names = [name for name in encoding.lower().replace(" ", "").split(",") if name not in {"", "identity"}]
    if not names:
        return None
    if names in (["gzip"], ["x-gzip"], ["deflate"]):
        return _Unpacking()
    raise ExpectedError(f"The page is packed as {', '.join(names)[:60]!r}, which was not asked for.")


def kind_of(media_type: str, body: bytes, charset: str | None = None) -> str:
    """What a body is: ``html``, ``json``, ``csv``, ``pdf``, ``text``, or a media type that is no text.

    `charset` is the one that its header names: a text in UTF-16 has zero bytes in it.
    """
    head = body[:_SNIFFED]
    magic = media_type_of(body)
    if magic:
        return "pdf" if magic == "application/pdf" else magic
    named = _named(media_type)
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _is_wide(_known(charset))
    if b"\x00" in head and not wide:
        return media_type if named and named == media_type else "application/octet-stream"
    if named != "":
        return named
    start = head.lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "html"
    return "json" if start.startswith((b"{", b"[")) else "text"


def _named(media_type: str) -> str:
    """The kind that a media type means; empty where it says nothing."""
    main, _, sub = media_type.partition("/")
    if sub in {"html", "xhtml+xml"}:
        return "html"
    if sub == "json" or sub.endswith("+json"):
        return "json"
    if sub in {"csv", "tab-separated-values"}:
        return "csv"
    if main == "text" or sub == "xml" or sub.endswith("+xml"):
        return "text"
    if sub in {"javascript", "x-javascript", "yaml", "x-yaml", "toml", "x-ndjson", "x-sh", "sql"}:
        return "text"
    return "" if sub in {"", "octet-stream", "pdf", "x-unknown", "unknown"} else media_type


def decode(body: bytes, header: str | None, *, markup: bool) -> Decoded:
    """A body as text: by its byte order mark, the header, its own words (`markup`), UTF-8, or its bytes."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return Decoded(body.decode(name, "replace"), name.removesuffix("-sig"))
    said = [header, _meta(body) if markup else None]
    named = [name for name in map(_known, said) if name is not None]
    if named and _is_wide(named[0]) and b"\x00" in body[:_SNIFFED]:
        return Decoded(body.decode(named[0], "replace"), named[0])
    named = [name for name in named if not _is_wide(name)]
    utf8 = _strictly(body, "utf-8")
    if utf8 is not None and not (named and named[0] not in {"utf-8", "cp1252"} and not body.isascii()):
        # Valid UTF-8 that is called Latin-1 is UTF-8 under a server's default name.
        called = named and named[0] != "utf-8" and not body.isascii()
        return Decoded(utf8, "utf-8", f"it is UTF-8, not {said[0] or said[1]}" if called else "")
    for place, name in enumerate(dict.fromkeys(named)):
        text = _strictly(body, name)
        if text is not None:
            return Decoded(text, name, "" if place == 0 else f"it is not {header} as its header says")
    guess = _detected(body)
    note = f"it is not {named[0]} as it says; {guess} was guessed" if named else f"{guess} was guessed"
    return Decoded(body.decode(guess, "replace"), guess, note)


def _is_wide(name: str | None) -> bool:
    return name is not None and name.startswith(("utf-16", "utf-32"))


def _meta(body: bytes) -> str | None:
    found = _META.search(body[:_SNIFFED])
    name = None if found is None else (found[1] or found[2]).decode("ascii", "replace")
    # What could be read to find the name is no UTF-16.
    return "utf-8" if name is not None and name.lower().startswith("utf-16") else name


def _known(name: str | None) -> str | None:
    """Python's name of a charset that browsers know; None for any other, and for what is no charset."""
    if not name:
        return None
    try:
        codec = codecs.lookup(name.strip(" \"'")).name
    except (LookupError, ValueError):
        return None
    return _READ_AS.get(codec, codec) if _TEXTUAL.match(_READ_AS.get(codec, codec)) else None


def _strictly(body: bytes, name: str) -> str | None:
    try:
        return body.decode(name)
    except (UnicodeError, LookupError):
        return None


def _detected(body: bytes) -> str:
    if sum(byte >= 0x80 for byte in body[:100_000]) < _ENOUGH:
        return "cp1252"
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return "cp1252"
    best = from_bytes(body[:100_000]).best()
    return "cp1252" if best is None else _READ_AS.get(best.encoding, best.encoding)

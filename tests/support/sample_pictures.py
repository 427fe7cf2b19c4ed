"""Pictures and PDF files with words on them, made on the spot."""

from __future__ import annotations

import io
from functools import cache
from hashlib import md5
from typing import Any

from PIL import Image, ImageDraw, ImageFont

__all__ = ["pdf_of", "picture_of"]


@cache
def picture_of(words: str, kind: str = "PNG", **saved: Any) -> bytes:
    """A white picture with these words in black."""
    image = Image.new("RGB", (640, 120), "white")
    ImageDraw.Draw(image).text((20, 30), words, "black", ImageFont.load_default(48))
    out = io.BytesIO()
    image.save(out, kind, **saved)
    return out.getvalue()


_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def pdf_of(*pages: str, password: str | None = None) -> bytes:
    """A PDF with one line of ASCII on each page; an empty text leaves the page white.

    With a password it is encrypted as the first PDF that were (revision 2 of the standard security handler).
    """
    lock = None if password is None else _Lock(password)
    kids = [3 + 2 * number for number in range(len(pages))]
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(pages), b" ".join(b"%d 0 R" % kid for kid in kids)),
    ]
    for kid, words in zip(kids, pages, strict=True):
        drawn = b"BT /F1 24 Tf 40 100 Td (%s) Tj ET" % words.encode("ascii") if words else b""
        drawn = drawn if lock is None else lock.shut(drawn, kid + 1)
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents %d 0 R"
            b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>" % (kid + 1),
            b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn),
        ]
    out, places = b"%PDF-1.7\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    size = len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R%s>>\n" % (
        size, table, size, b"" if lock is None else lock.entry,
    )  # fmt: skip
    return out + b"startxref\n%d\n%%%%EOF" % start


class _Lock:
    """The key of a password, and what a reader needs to try one."""

    def __init__(self, password: str) -> None:
        padded = (password.encode() + _PAD)[:32]
        owner = _rc4(md5(padded).digest()[:5], padded)
        self._key = md5(padded + owner + b"\xfc\xff\xff\xff" + b"\0" * 16).digest()[:5]
        told = (owner.hex().encode(), _rc4(self._key, _PAD).hex().encode())
        self.entry = b"/ID[<%s><%s>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>" % (
            b"0" * 32, b"0" * 32, *told,
        )  # fmt: skip

    def shut(self, data: bytes, number: int) -> bytes:
        """A stream of the object with this number."""
        return _rc4(md5(self._key + number.to_bytes(3, "little") + b"\0\0").digest()[:10], data)


def _rc4(key: bytes, data: bytes) -> bytes:
    box, j = list(range(256)), 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)

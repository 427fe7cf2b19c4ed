"""Decodes one picture or PDF; run in a sandbox as ``python worker.py JOB`` with the file as its input.

JOB is a JSON object whose ``do`` names a function here. The output is a line of JSON, whose ``blobs`` are the
lengths of the pictures that follow it. What a file has wrong comes back as ``error``, in one word.
"""

from __future__ import annotations

import importlib
import io
import json
import sys
import warnings
from typing import Any

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "ICO", "PPM", "AVIF")
# Formats that start other programs (EPS) or are rarely tried (most others) are not read.
MOST_PIXELS = 100_000_000
_MOST_TAGS = 80
_LONGEST = 200
_LONGEST_SIDE = 4_000
# Pixels of a page of a PDF that is drawn.
_MOST_CHARS = 3_000_000
_SUB_IFDS = (0x8769, 0x8825)

Answer = tuple[dict[str, Any], list[bytes]]


class Wrong(Exception):
    """What is wrong with the file, in one word."""


# -- pictures


def picture(data: bytes, side: int, *, png: bool) -> Answer:
    """Facts of a picture, and the picture itself, turned upright, at most `side` pixels wide and high."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
        facts: dict[str, Any] = {
            "format": image.format, "width": image.width, "height": image.height, "mode": image.mode,
            "frames": getattr(image, "n_frames", 1), "exif": _exif(image),
        }  # fmt: skip
        image.draft("RGB", (side, side))
        image.thumbnail((side, side))
        upright = ImageOps.exif_transpose(image)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Wrong("bomb") from None
    except Image.UnidentifiedImageError:
        raise Wrong("unknown") from None
    except MemoryError:
        raise Wrong("memory") from None
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError, KeyError, OverflowError):
        raise Wrong("damaged") from None
    clear = upright.mode in {"RGBA", "LA", "PA"} or "transparency" in upright.info
    shown = upright.convert("RGBA" if clear else "RGB")
    out = io.BytesIO()
    if png or clear:
        shown.save(out, "PNG")
    else:
        shown.save(out, "JPEG", quality=85)
    return {**facts, "mime": "image/png" if png or clear else "image/jpeg"}, [out.getvalue()]


def _exif(image: Any) -> dict[str, str]:
    """What the camera wrote down, by name, as short texts."""
    from PIL import ExifTags

    found: dict[str, str] = {}
    exif = image.getexif()
    groups = [(exif, ExifTags.TAGS)]
    for number in _SUB_IFDS:
        names = ExifTags.GPSTAGS if number == 0x8825 else ExifTags.TAGS
        groups.append((exif.get_ifd(number), names))
    for values, names in groups:
        for tag, value in list(values.items())[:_MOST_TAGS]:
            name = names.get(tag)
            if name is not None and name not in {"MakerNote", "ExifOffset", "GPSInfo"}:
                text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
                found[name] = text.strip("\x00 ")[:_LONGEST]
    return found


# -- PDF


def pdf_facts(data: bytes, password: str | None) -> Answer:
    """How many pages a PDF has, how large the first is, and what it says of itself."""
    with _opened(data, password) as document:
        size = document.get_page_size(0) if len(document) else (0.0, 0.0)
        said = {name: text[:_LONGEST] for name, text in document.get_metadata_dict(skip_empty=True).items()}
        return {"pages": len(document), "points": [round(side, 1) for side in size], "said": said}, []


def pdf_text(data: bytes, password: str | None, ranges: list[list[int | None]], most: int) -> Answer:
    """The text of each of some pages, as long as there is room for it."""
    with _opened(data, password) as document:
        found: list[dict[str, Any]] = []
        left = _MOST_CHARS
        for number in _chosen(ranges, len(document))[:most]:
            page = document[number - 1]
            words = page.get_textpage()
            text = words.get_text_bounded().replace("\r\n", "\n").replace("\x00", "")[:left]
            pictures = 0 if text.strip() else sum(1 for _ in page.get_objects(filter=[3], max_depth=4))
            words.close()
            page.close()
            left -= len(text)
            found.append({"page": number, "text": text, "pictures": pictures})
        return {"pages": len(document), "found": found}, []


def pdf_images(
    data: bytes, password: str | None, ranges: list[list[int | None]], most: int, dpi: int
) -> Answer:  # fmt: skip
    """Some pages as pictures."""
    with _opened(data, password) as document:
        blobs: list[bytes] = []
        numbers = _chosen(ranges, len(document))[:most]
        for number in numbers:
            page = document[number - 1]
            scale = min(dpi / 72, _LONGEST_SIDE / max(1.0, *page.get_size()))
            bitmap = page.render(scale=scale)
            out = io.BytesIO()
            bitmap.to_pil().convert("RGB").save(out, "PNG")
            blobs.append(out.getvalue())
            bitmap.close()
            page.close()
        return {"pages": len(document), "numbers": numbers}, blobs


class _opened:  # noqa: N801 - used like a function
    """A PDF, closed at the end of the block."""

    def __init__(self, data: bytes, password: str | None) -> None:
        import pypdfium2 as pdfium

        try:
            self._document: Any = pdfium.PdfDocument(data, password=password)
        except pdfium.PdfiumError as error:
            asked = "password" in str(error).lower()
            raise Wrong("damaged" if not asked else "password" if password else "encrypted") from None

    def __enter__(self) -> Any:
        return self._document

    def __exit__(self, *_: object) -> None:
        self._document.close()


def _chosen(ranges: list[list[int | None]], pages: int) -> list[int]:
    """The numbers of the pages in some ranges; a range that ends with None goes to the last one."""
    chosen: list[int] = []
    for first, last in ranges or [[1, None]]:
        if first is None or first > pages:
            raise Wrong(f"no-page {first} {pages}")
        chosen += range(first, min(pages if last is None else last, pages) + 1)
    return list(dict.fromkeys(chosen))


# -- words in pictures


def rapidocr(data: bytes) -> Answer:
    """The lines that RapidOCR reads in a picture, and how sure it is."""
    import logging

    logging.disable(logging.CRITICAL)
    read = importlib.import_module("rapidocr").RapidOCR()(data)
    lines = list(read.txts or ())
    return {"lines": [str(line) for line in lines], "sure": [float(score) for score in read.scores or ()]}, []


JOBS: dict[str, Any] = {one.__name__: one for one in (picture, pdf_facts, pdf_text, pdf_images, rapidocr)}


def main(words: list[str]) -> None:
    """Do the job, and write its answer."""
    job = json.loads(words[0])
    out = sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing that a library prints gets into the answer
    try:
        answer, blobs = JOBS[job.pop("do")](sys.stdin.buffer.read(), **job)
    except Wrong as wrong:
        answer, blobs = {"error": str(wrong)}, []
    out.write(json.dumps({**answer, "blobs": [len(blob) for blob in blobs]}).encode() + b"\n")
    out.writelines(blobs)
    out.flush()


if __name__ == "__main__":
    main(sys.argv[1:])

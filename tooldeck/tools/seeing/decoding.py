"""Pictures and PDF, decoded by a worker in the sandbox: what a bad file breaks is that worker."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.isolation import Isolation, View
from tooldeck.guards.running import Limits, summed_up
from tooldeck.guards.sandbox import best, run_confined

__all__ = [
    "MOST_BYTES",
    "PdfPage",
    "page_ranges",
    "pdf_facts",
    "pdf_images",
    "pdf_texts",
    "picture",
    "read_words",
]

MOST_BYTES = 100_000_000
"""Bytes of a file that is decoded."""
MIB = 1024 * 1024
_WORKER = Path(__file__).with_name("worker.py")
_LIMITS = Limits(
    seconds=30, kept=128 * MIB, output=64 * MIB, memory=2048 * MIB, file_size=MIB, open_files=256
)
_PACKAGES = {"picture": "PIL", "rapidocr": "rapidocr"}
_INSTALL = {
    "PIL": "Reading pictures needs the package pillow: pip install 'tooldeck[media]'.",
    "pypdfium2": "Reading PDF needs the package pypdfium2: pip install 'tooldeck[media]'.",
    "rapidocr": "The engine 'rapidocr' needs its package: pip install 'tooldeck[ocr]'.",
}
_RANGES = re.compile(r"\s*\d{1,6}\s*(?:-\s*(?:\d{1,6}\s*)?)?(?:,\s*\d{1,6}\s*(?:-\s*(?:\d{1,6}\s*)?)?)*")
_WRONG = {
    "bomb": "has more pixels than are decoded (100 million)",
    "damaged": "is damaged or cut off",
    "encrypted": "is encrypted; give its password",
    "memory": "needs more memory than it is given",
    "password": "is encrypted, and the password is not the right one",
    "unknown": "is of no kind that is decoded",
}


@dataclass(frozen=True, slots=True)
class PdfPage:
    """The text of one page."""

    page: int
    text: str
    pictures: int
    """Pictures on a page without text: where there are some it may be a scan."""


def page_ranges(spec: str) -> list[tuple[int, int | None]]:
    """Pages as ``1-3,7,10-``; all of them for an empty text. Raises `ExpectedError` for anything else."""
    if not spec.strip():
        return []
    if _RANGES.fullmatch(spec) is None:
        raise ExpectedError(f"Pages are given as in '1-3,7,10-', not {spec[:100]!r}.")
    ranges: list[tuple[int, int | None]] = []
    for part in spec.split(","):
        first, mark, last = (word.strip() for word in part.partition("-"))
        start, end = int(first), int(last) if last else None if mark else int(first)
        if start < 1 or (end is not None and end < start):
            raise ExpectedError(f"There is no range of pages {part.strip()!r}; pages count from 1.")
        ranges.append((start, end))
    return ranges


async def picture(data: bytes, what: str, *, side: int, png: bool = False) -> tuple[dict[str, Any], bytes]:
    """Facts of a picture and the picture itself, upright, at most `side` pixels on each side, as PNG or JPEG.

    `what` is what the file is called in errors. Raises `ExpectedError` for what is no picture.
    """
    facts, blobs = await _asked(data, what, {"do": "picture", "side": side, "png": png})
    return facts, blobs[0]


async def pdf_facts(data: bytes, what: str, password: str | None = None) -> dict[str, Any]:
    """How many pages a PDF has and what it says of itself; raises `ExpectedError` where it cannot be read."""
    return (await _asked(data, what, {"do": "pdf_facts", "password": password}))[0]


async def pdf_texts(
    data: bytes, what: str, *, pages: str = "", most: int = 300, password: str | None = None
) -> tuple[int, list[PdfPage]]:
    """How many pages a PDF has, and the text of the first `most` of `pages`; raises `ExpectedError`."""
    job = {"do": "pdf_text", "password": password, "ranges": page_ranges(pages), "most": most}
    answer, _ = await _asked(data, what, job)
    return answer["pages"], [PdfPage(**one) for one in answer["found"]]


async def pdf_images(
    data: bytes, what: str, *, pages: str, most: int, dpi: int, password: str | None = None
) -> tuple[int, list[tuple[int, bytes]]]:
    """How many pages a PDF has, and the first `most` of `pages` as PNG, each with its number."""
    job = {"do": "pdf_images", "password": password, "ranges": page_ranges(pages), "most": most, "dpi": dpi}
    answer, blobs = await _asked(data, what, job)
    return answer["pages"], list(zip(answer["numbers"], blobs, strict=True))


async def read_words(data: bytes, what: str) -> tuple[list[str], list[float]]:
    """The lines in a picture by RapidOCR, each with how sure it is, from 0 to 1."""
    # onnxruntime reserves much address space, and its first run takes long.
    answer, _ = await _asked(data, what, {"do": "rapidocr"}, replace(_LIMITS, seconds=120, memory=None))
    return answer["lines"], answer["sure"]


async def _asked(
    data: bytes, what: str, job: dict[str, Any], limits: Limits = _LIMITS
) -> tuple[dict[str, Any], list[bytes]]:
    package = _PACKAGES.get(job["do"], "pypdfium2")
    if importlib.util.find_spec(package) is None:
        raise SetupError(_INSTALL[package])
    words = [sys.executable, "-B", "-s", str(_WORKER), json.dumps(job)]
    walls = await best(Isolation.RLIMITS)
    with tempfile.TemporaryDirectory(prefix="tooldeck-media-") as folder:
        view = View(Path(folder), read=(_WORKER,))
        finished, _ = await run_confined(words, view, walls, limits, data=data)
    head, _, rest = finished.stdout.data.partition(b"\n")
    if not finished.ok:
        last = finished.stderr.text.strip().splitlines()[-1:]
        raise ExpectedError(
            f"{what} could not be decoded: the process that did it {summed_up(finished)}"
            f"{': ' + last[0][:200] if last and not finished.stopped else ''}."
        )
    answer = json.loads(head)
    wrong = answer.pop("error", "")
    if wrong:
        raise ExpectedError(f"{what} {_words_of(wrong)}.")
    blobs: list[bytes] = []
    for length in answer.pop("blobs"):
        blobs.append(rest[:length])
        rest = rest[length:]
    return answer, blobs


def _words_of(wrong: str) -> str:
    if wrong.startswith("no-page"):
        _, asked, pages = wrong.split()
        return f"has {pages} pages, so there is no page {asked}"
    return _WRONG[wrong]

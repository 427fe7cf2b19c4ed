"""Where the hunks of a patch belong in a file as it is now, by their lines and never by a number alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from tooldeck.tools.patches.records import BadPatch, Hunk
from tooldeck.tools.texts.documents import Document
from tooldeck.tools.texts.matching import folded, indented

__all__ = ["Fuzz", "Placed", "patched"]

Fuzz = Literal["exact", "whitespace", "context"]
"""What may differ between the lines of a patch and those of the file.

Nothing; or blanks and typography; or, where that leads nowhere, also up to `_MOST_DROPPED` lines of context
at each edge of a hunk, whose other lines must then stand at one place only.
"""
_MOST_DROPPED = 2
_KEYS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("", lambda line: line),
    ("blanks at line ends aside", str.rstrip),
    ("indentation aside", str.strip),
    ("typographic characters aside", folded),
)
_LISTED = 8


class Placed(NamedTuple):
    """What became of one hunk."""

    line: int
    """The line of the file, from 1, that it begins at."""
    offset: int = 0
    """How many lines further down that is than the patch says."""
    liberty: str = ""
    """What was not looked at, in words."""
    already: bool = False
    """Whether the file had the new lines before."""


class _Spot(NamedTuple):
    at: int
    liberty: str
    already: bool = False


def patched(
    document: Document, hunks: list[Hunk], path: str, fuzz: Fuzz = "whitespace"
) -> tuple[Document, list[Placed]]:
    """The document with all hunks in it, and where each was put. Raises `BadPatch` naming the hunk."""
    lines = document.lines
    spans: list[tuple[int, int, list[str]]] = []
    placed: list[Placed] = []
    begin = drift = 0
    for number, hunk in enumerate(hunks, 1):
        what = f"hunk {number} of {path!r}"
        spot, hunk = _placed(hunk, lines, (begin, drift), what, fuzz)  # noqa: PLW2901 - with less context
        offset = 0
        if hunk.start is not None and hunk.old and not spot.already:
            offset = spot.at - (hunk.start - 1)
            drift = offset
        placed.append(Placed(spot.at + 1, offset, spot.liberty, spot.already))
        if spot.already:
            begin = spot.at + len(hunk.new)
            continue
        spans += _spans(hunk, lines, spot)
        begin = spot.at + len(hunk.old)
    for start, stop, new in reversed(spans):
        document = document.with_lines(start, stop, new)
    applied = [hunk for hunk, one in zip(hunks, placed, strict=True) if not one.already]
    return _closed(document, applied[-1] if applied else None), placed


def _placed(
    hunk: Hunk, lines: list[str], since: tuple[int, int], what: str, fuzz: Fuzz
) -> tuple[_Spot, Hunk]:
    """Where a hunk belongs, and what of it is looked at there; `since` are `begin` and `drift` of `_spot`."""
    begin, drift = since
    try:
        return _spot(hunk, lines, begin, drift, what, exact=fuzz == "exact"), hunk
    except BadPatch:
        if fuzz != "context":
            raise
        begin = _after_headings(hunk, lines, begin, what)
        for less in _with_less_context(hunk):
            found = [at for at in _places(less.old, lines, lambda line: line) if at >= begin]
            if len(found) == 1:
                dropped = len(hunk.lines) - len(less.lines)
                told = f"{dropped} line{'s' if dropped > 1 else ''} of context aside"
                return _Spot(found[0], told), less
        raise


def _with_less_context(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk without the outermost lines of its context, the most of it first; some context is kept."""
    signs = "".join(sign for sign, _ in hunk.lines)
    above, below = len(signs) - len(signs.lstrip(" ")), len(signs) - len(signs.rstrip(" "))
    if hunk.old_open or hunk.new_open or hunk.at_end:
        below = 0  # where the file ends is no matter of context
    drops = itertools.product(range(_MOST_DROPPED + 1), repeat=2)
    for first, last in sorted(drops, key=lambda drop: (sum(drop), abs(drop[0] - drop[1]))):
        kept = hunk.lines[first : len(hunk.lines) - last]
        fits = first + last > 0 and first <= above and last <= below and first + last < above + below
        if fits and any(sign != " " for sign, _ in kept):
            start = None if hunk.start is None else hunk.start + first
            yield replace(hunk, lines=kept, start=start)


def _spot(hunk: Hunk, lines: list[str], begin: int, drift: int, what: str, *, exact: bool) -> _Spot:
    """Where a hunk belongs, at `begin` or after it; `drift` is how far the one before it had moved."""
    if not hunk.old:
        return _Spot(_insertion(hunk, lines, begin, what), "")
    begin = _after_headings(hunk, lines, begin, what)
    hint = None if hunk.start is None else hunk.start - 1 + drift
    for liberty, key in _KEYS[:1] if exact else _KEYS:
        found = [at for at in _places(hunk.old, lines, key) if at >= begin]
        if hunk.old_open or hunk.at_end:
            found = [at for at in found if at + len(hunk.old) == len(lines)] or (
                [] if hunk.old_open else found
            )
        if liberty.startswith("indentation"):
            found = [at for at in found if _moved(hunk, lines, at) is not None]
        if not found:
            continue
        for known in (hint, None if hunk.start is None else hunk.start - 1):
            if known in found:
                return _Spot(known or 0, liberty)
        if len(found) == 1 or hunk.headings:
            return _Spot(found[0], liberty)
        numbers = ", ".join(str(at + 1) for at in found[:_LISTED])
        raise BadPatch(
            f"The lines of {what} stand at {len(found)} places: lines {numbers}; give more context."
        )
    return _already(hunk, lines, begin, what)


def _already(hunk: Hunk, lines: list[str], begin: int, what: str) -> _Spot:
    """The place where the file has the new lines already; raises `BadPatch` with what does not fit."""
    adds = any(sign == "+" and text.strip() for sign, text in hunk.lines)
    there = [at for at in _places(hunk.new, lines, lambda line: line) if at >= begin] if adds else []
    if len(there) == 1:
        return _Spot(there[0], "", already=True)
    raise BadPatch(f"The lines of {what} are not in the file{_first_odd(hunk.old, lines)}")


def _insertion(hunk: Hunk, lines: list[str], begin: int, what: str) -> int:
    """Where lines go that have none around them."""
    if hunk.headings:
        return _after_headings(hunk, lines, begin, what)
    if not lines or hunk.start is None:
        return len(lines)
    raise BadPatch(f"Nothing but a line number says where {what} belongs; give lines around it.")


def _after_headings(hunk: Hunk, lines: list[str], begin: int, what: str) -> int:
    """The line after the headings of a hunk, which come one after the other."""
    for heading in hunk.headings:
        found = [at for at in range(begin, len(lines)) if lines[at].strip() == heading.strip()]
        found = found or [
            at for at in range(begin, len(lines)) if lines[at].strip().startswith(heading.strip())
        ]
        if not found:
            raise BadPatch(f"The heading {heading[:80]!r} of {what} is not in the file after line {begin}.")
        begin = found[0] + (1 if not hunk.old or hunk.old[0].strip() != heading.strip() else 0)
    return begin


def _places(wanted: list[str], lines: list[str], key: Callable[[str], str]) -> list[int]:
    keys, sought = [key(line) for line in lines], [key(line) for line in wanted]
    size = len(sought)
    if not size:
        return []
    return [
        at for at in range(len(keys) - size + 1) if keys[at] == sought[0] and keys[at : at + size] == sought
    ]


def _moved(hunk: Hunk, lines: list[str], at: int) -> list[str] | None:
    """The new lines with the indentation of the file; None where its lines are not all moved alike."""
    added = [text for sign, text in hunk.lines if sign == "+"]
    return indented(added, hunk.old, lines[at : at + len(hunk.old)])


def _spans(hunk: Hunk, lines: list[str], spot: _Spot) -> list[tuple[int, int, list[str]]]:
    """What changes, stretch by stretch, so that lines that stay are not touched."""
    added = [text for sign, text in hunk.lines if sign == "+"]
    if spot.liberty.startswith("indentation"):
        added = _moved(hunk, lines, spot.at) or added
    left = iter(added)
    spans: list[tuple[int, int, list[str]]] = []
    at, open_span = spot.at, False
    for sign, _ in hunk.lines:
        if sign == " ":
            at, open_span = at + 1, False
            continue
        if not open_span:
            spans.append((at, at, []))
            open_span = True
        start, stop, new = spans[-1]
        if sign == "-":
            spans[-1] = (start, stop + 1, new)
            at += 1
        else:
            new.append(next(left))
    return spans


def _closed(document: Document, last: Hunk | None) -> Document:
    """With or without an end of the last line, as the last hunk says."""
    if last is None or last.old_open == last.new_open:
        return document
    text = document.text
    if last.new_open and text.endswith("\n"):
        return replace(document, text=text[:-1], ends=document.ends[:-1])
    if last.old_open and (text or last.new):
        return document.spliced(len(text), len(text), "\n")
    return document


def _first_odd(wanted: list[str], lines: list[str]) -> str:
    """The first line of a hunk that does not fit where it fits best."""
    best, reach = 0, -1
    for at in range(len(lines)):
        fits = 0
        while fits < len(wanted) and at + fits < len(lines) and lines[at + fits] == wanted[fits]:
            fits += 1
        if fits > reach:
            best, reach = at, fits
    line = wanted[min(max(reach, 0), len(wanted) - 1)]
    where = f" after line {best + reach}" if reach > 0 else ""
    return f": {line[:120]!r} is not there{where}."

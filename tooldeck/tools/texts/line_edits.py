"""Edits of lines by anchor: what they mean in the text they were made for, and in the one there is now."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from tooldeck.core.errors import ExpectedError
from tooldeck.tools.texts.anchors import BadAnchor, place_of, read_anchor, unique_place
from tooldeck.tools.texts.drift import Drift

__all__ = ["Clash", "LineEdit", "Span", "moved", "refined", "spans_by_hash", "spans_of"]


class _Edit(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


AnchorText = Annotated[str, Field(description="The anchor of a line as it was read, such as 12:3f9a0c1d.")]
Lines = Annotated[
    str, Field(description="Whole lines, with their indentation; an end after the last is optional.")
]
LastAnchor = Annotated[
    str | None, Field(description="The anchor of the last line, where it is not the same one.")
]


class Replace(_Edit):
    """Put other lines in place of one line, or of all from it to another one."""

    op: Literal["replace"]
    anchor: AnchorText
    to: LastAnchor = None
    text: Lines


class Delete(_Edit):
    """Take away one line, or all from it to another one."""

    op: Literal["delete"]
    anchor: AnchorText
    to: LastAnchor = None


class Insert(_Edit):
    """Put lines before or after one that stays."""

    op: Literal["insert_before", "insert_after"]
    anchor: AnchorText
    text: Lines


class Add(_Edit):
    """Put lines at the end or at the beginning of the file."""

    op: Literal["append", "prepend"]
    text: Lines


LineEdit = Annotated[Replace | Delete | Insert | Add, Field(discriminator="op")]


class Span(NamedTuple):
    """What an edit does to lines counted from 0."""

    start: int
    stop: int
    new: list[str]
    first: int
    """The lines from here, which the edit speaks of,"""
    last: int
    """up to here have to be unchanged; the same number where it speaks of none."""
    edge: str = ""
    """``append`` or ``prepend`` for what is put at the end or beginning, whatever the file is by now."""

    @property
    def rank(self) -> tuple[int, bool, int]:
        """Which of two comes first: at the same place what belongs to the line before it."""
        return self.start, self.stop > self.start, -1 if self.edge == "prepend" else self.first


class Clash(ExpectedError):
    """Edits that cannot be carried out on the file as it is now."""


def spans_of(edits: Sequence[LineEdit], lines: list[str]) -> list[Span]:
    """What the edits do to the text that their anchors are of.

    Raises `BadAnchor` for one that is not of it, and `Clash` where two edits speak of the same line.
    """
    spans = [_span(edit, lines) for edit in edits]
    _check_apart(spans)
    return spans


def spans_by_hash(edits: Sequence[LineEdit], lines: list[str]) -> list[Span]:
    """What the edits do to a text that is another one than their anchors are of: by unique hashes alone.

    Raises like `spans_of`, and `BadAnchor` for more lines than have an anchor in the edit.
    """
    spans: list[Span] = []
    for edit in edits:
        if isinstance(edit, Add):
            spans.append(_added(edit, lines))
            continue
        anchor = read_anchor(edit.anchor)
        place = unique_place(anchor, lines)
        end = place
        if isinstance(edit, Replace | Delete) and edit.to is not None:
            last = read_anchor(edit.to)
            end = unique_place(last, lines)
            if end - place > 1 or end - place != last.line - anchor.line:
                raise BadAnchor(
                    f"The file has changed, and the lines between {anchor} and {last} may have as well; "
                    "read it again."
                )
        spans.append(_spoken(edit, place, end))
    _check_apart(spans)
    return spans


def moved(spans: Sequence[Span], drift: Drift, count: int) -> list[Span | None]:
    """The spans in the text as it is now, of `count` lines; None for one that is in doubt."""
    found: list[Span | None] = []
    for span in spans:
        if span.edge:
            at = count if span.edge == "append" else 0
            found.append(span._replace(start=at, stop=at, first=at, last=at))
            continue
        place = drift.find(span.first, span.last)
        if place is None:
            found.append(None)
            continue
        by = place - span.first
        found.append(
            span._replace(start=span.start + by, stop=span.stop + by, first=place, last=span.last + by)
        )
    return found


def refined(span: Span, base: list[str]) -> list[Span]:
    """What the span changes and no more, for a merge: lines that it would only put back are left out.

    Each part needs the lines unchanged that it replaces, or those it puts something between.
    """
    parts: list[Span] = []
    compared = difflib.SequenceMatcher(None, base[span.start : span.stop], span.new, autojunk=False)
    for kind, i1, i2, j1, j2 in compared.get_opcodes():
        start, stop = span.start + i1, span.start + i2
        first, last = (start, stop) if i2 > i1 else (max(span.first, start - 1), min(span.last, stop + 1))
        if kind != "equal":
            parts.append(Span(start, stop, span.new[j1:j2], first, last))
    return parts


def _span(edit: LineEdit, lines: list[str]) -> Span:
    if isinstance(edit, Add):
        return _added(edit, lines)
    place = place_of(read_anchor(edit.anchor), lines)
    end = place
    if isinstance(edit, Replace | Delete) and edit.to is not None:
        end = place_of(read_anchor(edit.to), lines)
        if end < place:
            raise BadAnchor(
                f"The line of {edit.to!r} comes before that of {edit.anchor!r}; give them in order."
            )
    return _spoken(edit, place, end)


def _spoken(edit: Replace | Delete | Insert, place: int, end: int) -> Span:
    if isinstance(edit, Insert):
        at = place if edit.op == "insert_before" else place + 1
        return Span(at, at, _lines(edit.text), place, place + 1)
    return Span(place, end + 1, _lines(edit.text) if isinstance(edit, Replace) else [], place, end + 1)


def _added(edit: Add, lines: list[str]) -> Span:
    at = len(lines) if edit.op == "append" else 0
    return Span(at, at, _lines(edit.text), at, at, edit.op)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _check_apart(spans: list[Span]) -> None:
    changing = sorted((span.start, span.stop) for span in spans if span.stop > span.start)
    for (_, stop), (start, _) in itertools.pairwise(changing):
        if start < stop:
            raise Clash(f"Two edits speak of line {start + 1}; put them into one.")
    for span in spans:
        inside = [one for one in changing if span.start == span.stop and one[0] < span.start < one[1]]
        if inside:
            raise Clash(f"One edit puts lines between lines that another one replaces, at line {span.start}.")

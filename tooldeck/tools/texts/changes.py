"""The three ways of changing a file by text: all of it, a place in it, its end. Functions of its bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tooldeck.core.errors import ExpectedError
from tooldeck.tools.texts.cells import piece_of
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import Document, NotText, decode, digest, fresh, same_digest
from tooldeck.tools.texts.matching import line_of, replacements

__all__ = ["Change", "Replacement", "appended", "edited", "expected", "written"]


@dataclass(frozen=True, slots=True)
class Change:
    """What a file becomes."""

    data: bytes
    diff: str
    """As a unified diff; empty where the text stays the same."""
    told: str
    """What was done, in words."""
    created: bool = False


def written(before: bytes | None, path: str, content: str, *, create_only: bool) -> Change:
    """The whole text anew, with the encoding and the line ends that the file has."""
    if before is None:
        return Change(fresh(content).encode(), unified(None, content, path) or f"{path}: a new, empty file",
                      f"wrote {_lines(content)}", created=True)  # fmt: skip
    if create_only:
        raise ExpectedError(f"{path!r} is there already, and was to be made new; nothing was changed.")
    old = _readable(before, path)
    new = fresh(content)
    if old is not None:
        given = new.ends if "\r\n" in new.ends else (old.end,) * len(new.ends)
        new = replace(old, text=new.text, ends=given)
        if old.guessed:
            new = _fitting(new)
    told = f"wrote {_lines(content)}"
    return Change(new.encode(), unified("" if old is None else old.text, new.text, path), told)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A text to be put in place of another one."""

    old: str
    new: str
    count: int = 1
    """How many times the old one stands there; 0 for any number."""
    cell: str = ""
    """Of a notebook: the id or the number of the cell; empty for the file as it is."""


def edited(before: bytes | None, path: str, wanted: Replacement) -> Change:
    """A text in the file, or in the source of a cell, replaced; see `replacements`."""
    if before is None:
        raise ExpectedError(f"There is no file {path!r} to edit; write makes one.")
    piece = piece_of(decode(before, path), path, wanted.cell)
    document = after = piece.document
    old, new = (text.replace("\r\n", "\n") for text in (wanted.old, wanted.new))
    found = replacements(document.text, old, new, wanted.count, piece.name)
    for match in reversed(found):
        after = after.spliced(match.start, match.stop, match.new)
    lines = ", ".join(str(line_of(document.text, match.start)) for match in found[:20])
    places = "1 place" if len(found) == 1 else f"{len(found)} places"
    liberty = f"; found with {found[0].liberty}" if found[0].liberty else ""
    if after == document:
        raise ExpectedError(f"Nothing changes: the text is in {piece.name!r} as it shall be already.")
    return Change(piece.put(after).encode(), unified(document.text, after.text, piece.name),
                  f"replaced {places}, line {lines}{liberty}")  # fmt: skip


def appended(before: bytes | None, path: str, content: str) -> Change:
    """Lines added at the end, beginning with a new one."""
    if not content:
        raise ExpectedError("There is nothing to add: the content is empty.")
    if before is None:
        return written(None, path, content, create_only=True)
    document = decode(before, path)
    text = document.text
    glue = "\n" if text and not text.endswith("\n") else ""
    after = document.spliced(len(text), len(text), glue + content)
    return Change(after.encode(), unified(text, after.text, path), f"added {_lines(content)}")


def expected(before: bytes | None, path: str, expect_hash: str | None) -> bytes | None:
    """The bytes of a file; raises `ExpectedError` where it is not the one any more that somebody has read."""
    if expect_hash is None:
        return before
    if before is None:
        raise ExpectedError(f"{path!r} was expected with the hash {expect_hash}, and is not there.")
    if not same_digest(before, expect_hash):
        raise ExpectedError(
            f"{path!r} was expected with the hash {expect_hash}, and has {digest(before)} now; read it again."
        )
    return before


def _readable(data: bytes, path: str) -> Document | None:
    try:
        return decode(data, path)
    except NotText:
        return None


def _fitting(document: Document) -> Document:
    """In the guessed encoding where that has all characters, else in UTF-8."""
    try:
        document.encode()
    except NotText:
        return replace(document, encoding="utf-8")
    return document


def _lines(content: str) -> str:
    count = len(content.splitlines())
    return "1 line" if count == 1 else f"{count} lines"

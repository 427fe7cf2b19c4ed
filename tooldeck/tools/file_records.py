"""What the actions of `file` give: records for Python, each with its text for a model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from tooldeck.core.parts import Answer
from tooldeck.guards.paths import shown_path
from tooldeck.tools.folders.searching import Hit
from tooldeck.tools.texts.documents import Document, digest

__all__ = ["Changed", "FileFacts", "FileText", "Listed", "Paths", "SearchHits"]

_DIFF_LINES = 80
"""Lines of a diff that are told."""


@dataclass(frozen=True, slots=True)
class FileText:
    """A page of a file."""

    path: str
    hash: str
    encoding: str
    newline: str
    total: int
    """Lines of the whole file."""
    first: int
    """The number of the first line of the page."""
    shown: tuple[str, ...]
    """The lines as they are told, with their anchors where that was asked for."""
    text: str = field(repr=False, default="")
    """The whole text, whatever the page."""

    @property
    def last(self) -> int:
        """The number of the last line of the page."""
        return self.first + len(self.shown) - 1

    def _tool_answer_(self) -> Answer:
        lines = "1 line" if self.total == 1 else f"{self.total} lines"
        head = f"{self.path}: {lines}, {self.encoding}, {self.newline}, hash {self.hash}"
        tail = (
            []
            if self.last >= self.total
            else [f"[lines {self.first} to {self.last}; go on with offset {self.last + 1}]"]
        )
        return Answer(self, "\n".join([head, *(self.shown or ["[empty]"]), *tail]))


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that was changed."""

    path: str
    hash: str
    """Of the file as it is now."""
    created: bool
    told: str
    """What was done, in words."""
    diff: str

    def _tool_answer_(self) -> Answer:
        head = f"{self.path}: {'made; ' if self.created else ''}{self.told}; hash {self.hash}"
        lines = self.diff.splitlines()
        more = [f"[{len(lines) - _DIFF_LINES} more lines]"] if len(lines) > _DIFF_LINES else []
        shown = [] if self.created else [*lines[:_DIFF_LINES], *more]
        return Answer(self, "\n".join([head, *shown]))


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The lines that were found."""

    hits: tuple[Hit, ...]
    more: bool
    """Whether there are further ones."""
    left_out: tuple[str, ...] = ()
    """What was not looked into on the way, in words: how many of each kind, with the first names."""

    def _tool_answer_(self) -> Answer:
        lines: list[str] = []
        path = ""
        for hit in self.hits:
            if hit.path != path:
                lines += ["", hit.path] if lines else [hit.path]
                path = hit.path
            elif hit.before or hit.after:
                lines.append("  --")
            around = [*((hit.line - len(hit.before) + at, "-", one) for at, one in enumerate(hit.before))]
            around += [(hit.line, ":", hit.text)]
            around += [(hit.line + 1 + at, "-", one) for at, one in enumerate(hit.after)]
            lines += [f"  {number}{mark} {_short(text)}" for number, mark, text in around]
        if self.more:
            lines.append(f"[the first {len(self.hits)} hits; there are more]")
        lines = lines or ["Nothing was found."]
        if self.left_out:
            lines.append(f"[files left out: {'; '.join(self.left_out)}]")
        return Answer(self, "\n".join(lines))


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry of a folder."""

    path: str
    kind: str
    """``file``, ``folder``, ``link`` or ``other``."""
    size: int
    """In bytes."""
    modified: float
    """Seconds since 1970."""

    def __str__(self) -> str:
        if self.kind == "folder":
            return f"{shown_path(self.path)[1:-1]}/"
        day = datetime.fromtimestamp(self.modified, UTC).strftime("%Y-%m-%d %H:%M")
        kind = "" if self.kind == "file" else f"  ({self.kind})"
        return f"{shown_path(self.path)[1:-1]}  {self.size} bytes  {day}{kind}"


@dataclass(frozen=True, slots=True)
class Paths:
    """Entries that were found, in order."""

    entries: tuple[Listed, ...]
    more: bool
    """Whether there are further ones."""

    @property
    def paths(self) -> list[str]:
        """The paths alone."""
        return [one.path for one in self.entries]

    def _tool_answer_(self) -> Answer:
        tail = [f"[the first {len(self.entries)}; there are more]"] if self.more else []
        return Answer(self, "\n".join([*map(str, self.entries), *tail]) or "There is nothing.")


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of an entry."""

    path: str
    kind: str
    size: int
    mode: str
    """As ``ls -l`` writes it."""
    modified: str
    """In ISO 8601, UTC."""
    hash: str | None = None
    encoding: str | None = None
    """None where it is no text."""
    newline: str | None = None
    lines: int | None = None

    def of_text(self, data: bytes, document: Document | None) -> FileFacts:
        """With what its bytes tell."""
        known = replace(self, hash=digest(data))
        if document is None:
            return known
        return replace(known, encoding=document.encoding, newline=document.newline, lines=len(document.lines))


def _short(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:300]}… [{len(text)} characters]"

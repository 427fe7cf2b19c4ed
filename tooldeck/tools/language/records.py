"""What `lsp` gives: records for Python, each with its text for a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tooldeck.core.parts import Answer
from tooldeck.guards.text import one_line
from tooldeck.tools.language.pool import Standing

__all__ = [
    "Call",
    "Calls",
    "CodeAction",
    "CodeActions",
    "Diagnosed",
    "Diagnostic",
    "Edited",
    "FileEdit",
    "Hover",
    "Located",
    "Location",
    "Standings",
    "Symbol",
    "Symbols",
]

_SHOWN_LINE = 160
_DIFF_LINES = 400
_SHOWN_DIAGNOSTICS = 100


@dataclass(frozen=True, slots=True)
class Location:
    """A stretch of a file up to its end; lines and columns count from 1, columns in characters."""

    path: str
    """From the root of the workspace on; whole where it lies outside."""
    line: int
    column: int
    end_line: int
    end_column: int
    text: str = ""
    """Its first line, without the blanks around; empty outside of the workspace."""
    inside: bool = True
    """Whether it lies in the workspace. Files outside are not read."""

    def __str__(self) -> str:
        where = f"{one_line(self.path)}:{self.line}:{self.column}"
        return f"{where}: {_short(self.text)}" if self.inside else f"{where} (outside of the workspace)"


@dataclass(frozen=True, slots=True)
class Located:
    """Places that a server found."""

    locations: tuple[Location, ...]
    total: int
    """How many there are; those beyond the limit are not among the locations."""
    server: str

    def _tool_answer_(self) -> Answer:
        if not self.locations:
            return Answer(self, f"Nothing was found [{self.server}].")
        more = [f"[{self.total - len(self.locations)} more]"] if self.total > len(self.locations) else []
        head = f"{self.total} {'place' if self.total == 1 else 'places'} [{self.server}]"
        return Answer(self, "\n".join([head, *map(str, self.locations), *more]))


@dataclass(frozen=True, slots=True)
class Hover:
    """What a server tells about a place."""

    text: str
    """Markdown or plain text; empty where there is nothing to tell."""
    server: str

    def _tool_answer_(self) -> Answer:
        return Answer(self, self.text or f"There is nothing to tell [{self.server}].")


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something that has a name."""

    name: str
    kind: str
    location: Location
    """All of it."""
    at: Location
    """Where its name stands, as far as the server tells."""
    depth: int = 0
    """How many symbols of the same file it is in."""
    container: str = ""
    """The name of what it is in, where the server tells that and not the depth."""

    def __str__(self) -> str:
        of = f" in {one_line(self.container)}" if self.container else ""
        lines = f"{self.location.line}"
        if self.location.end_line > self.location.line:
            lines += f"-{self.location.end_line}"
        return f"{'  ' * self.depth}{self.kind} {one_line(self.name)}{of} [{lines}]"


@dataclass(frozen=True, slots=True)
class Symbols:
    """The symbols of a file, or those of the workspace with a name."""

    symbols: tuple[Symbol, ...]
    total: int
    server: str
    one_file: bool = True

    def _tool_answer_(self) -> Answer:
        if not self.symbols:
            return Answer(self, f"No symbol was found [{self.server}].")
        lines: list[str] = []
        path = ""
        for symbol in self.symbols:
            if symbol.location.path != path:
                path = symbol.location.path
                lines.append(one_line(path))
            lines.append(f"  {symbol}")
        more = [f"[{self.total - len(self.symbols)} more]"] if self.total > len(self.symbols) else []
        return Answer(self, "\n".join([*lines, *more]))


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One complaint of a server."""

    location: Location
    severity: str
    """``error``, ``warning``, ``information`` or ``hint``."""
    code: str
    message: str
    server: str

    def __str__(self) -> str:
        place = f"{one_line(self.location.path)}:{self.location.line}:{self.location.column}"
        told = one_line(" ".join(self.message.split()))
        code = f" {one_line(self.code)}" if self.code else ""
        return f"{place}: {self.severity}{code}: {told} [{one_line(self.server)}]"


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """What servers complain about in files."""

    diagnostics: tuple[Diagnostic, ...]
    servers: tuple[str, ...]
    """Those that have answered for every file."""
    pending: tuple[tuple[str, str], ...]
    """Those that had not in time, each with a file; what they would say of it is not known."""
    paths: tuple[str, ...]
    raw: tuple[Any, ...] = field(default=(), repr=False, compare=False)
    """As the server sent them, for requests that want them back."""

    @property
    def errors(self) -> int:
        """How many of them are errors."""
        return sum(one.severity == "error" for one in self.diagnostics)

    def _tool_answer_(self) -> Answer:
        names = ", ".join(self.servers) or "nobody"
        count = len(self.diagnostics)
        files = "1 file" if len(self.paths) == 1 else f"{len(self.paths)} files"
        head = f"{count or 'no'} {'diagnostic' if count == 1 else 'diagnostics'} in {files}"
        head += f", {self.errors} of them errors" if count else ""
        lines = [f"{head} [{names}]", *map(str, self.diagnostics[:_SHOWN_DIAGNOSTICS])]
        lines += [f"[{count - _SHOWN_DIAGNOSTICS} more]"] if count > _SHOWN_DIAGNOSTICS else []
        lines += [f"[{name} is not done with {one_line(path)}; ask again]" for name, path in self.pending]
        return Answer(self, "\n".join(lines))


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What an edit does to one file."""

    path: str
    status: str
    """``A`` added, ``M`` changed, ``D`` deleted."""
    before: str | None
    """The hash before; None where there was no file."""
    after: str | None
    """The hash after; None where there is none any more."""
    diff: str


@dataclass(frozen=True, slots=True)
class Edited:
    """What an edit does, or would do."""

    files: tuple[FileEdit, ...]
    done: bool
    """False where it was only looked at."""
    server: str
    what: str = ""

    def _hash(self, file: FileEdit) -> str:
        return (file.after if self.done else file.before) or "none"

    @property
    def diff(self) -> str:
        """The change of all files."""
        return "".join(file.diff for file in self.files)

    def _tool_answer_(self) -> Answer:
        if not self.files:
            return Answer(self, f"{self.what or 'Nothing'}: nothing changes [{self.server}].")
        head = f"{self.what}: {'changed' if self.done else 'would change'} {len(self.files)} "
        head += f"{'file' if len(self.files) == 1 else 'files'} [{self.server}]"
        hashes = [f"{one.status} {one_line(one.path)}, hash {self._hash(one)}" for one in self.files]
        lines = self.diff.splitlines()
        more = [f"[{len(lines) - _DIFF_LINES} more lines]"] if len(lines) > _DIFF_LINES else []
        return Answer(self, "\n".join([head, *hashes, *lines[:_DIFF_LINES], *more]))


@dataclass(frozen=True, slots=True)
class CodeAction:
    """A change that a server offers."""

    number: int
    """From 1, in the order of the list."""
    title: str
    kind: str
    server: str
    preferred: bool = False
    disabled: str = ""
    """Why it cannot be used; empty where it can."""

    def __str__(self) -> str:
        notes = [*([self.kind] if self.kind else []), *(["preferred"] if self.preferred else [])]
        notes += [f"not now: {one_line(self.disabled)}"] if self.disabled else []
        return f"{self.number}. {one_line(self.title)} ({', '.join([*notes, self.server])})"


@dataclass(frozen=True, slots=True)
class CodeActions:
    """The changes that servers offer for a place."""

    actions: tuple[CodeAction, ...]

    def _tool_answer_(self) -> Answer:
        return Answer(self, "\n".join(map(str, self.actions)) or "No code action is offered here.")


@dataclass(frozen=True, slots=True)
class Call:
    """A function that calls another, or is called by it."""

    name: str
    kind: str
    location: Location
    lines: tuple[int, ...]
    """Where the calls stand, in the caller's file."""

    def __str__(self) -> str:
        at = f", calls on line {', '.join(map(str, self.lines))}" if self.lines else ""
        return f"{self.kind} {one_line(self.name)} [{one_line(self.location.path)}:{self.location.line}{at}]"


@dataclass(frozen=True, slots=True)
class Calls:
    """The callers of a function, or what it calls."""

    name: str
    calls: tuple[Call, ...]
    direction: str
    server: str

    def _tool_answer_(self) -> Answer:
        what = "is called by" if self.direction == "incoming" else "calls"
        if not self.calls:
            return Answer(self, f"{self.name} {what} nobody that {self.server} knows of.")
        return Answer(self, "\n".join([f"{self.name} {what}:", *(f"  {call}" for call in self.calls)]))


@dataclass(frozen=True, slots=True)
class Standings:
    """The language servers and how they are."""

    servers: tuple[Standing, ...]

    def _tool_answer_(self) -> Answer:
        return Answer(self, "\n".join(_standing(one) for one in self.servers))


def _standing(one: Standing) -> str:
    note = f" ({one_line(one.note)})" if one.note else ""
    return f"{one.name}: {one.state}{note}; {', '.join(one.languages)}"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_LINE else f"{text[:_SHOWN_LINE]}…"

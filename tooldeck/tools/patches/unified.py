"""Unified diffs as git and diff write them, and as models write them: with counts that need not be right."""

from __future__ import annotations

import re

from tooldeck.tools.patches.records import BadPatch, FilePatch, Hunk

__all__ = ["read_unified"]

_NUMBERS = re.compile(r"@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@+ ?(.*)")
_ESCAPED = re.compile(r"\\([0-7]{3}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_PLAIN_MODES = {"100644": 0o644, "100755": 0o755}


def read_unified(lines: list[str]) -> list[FilePatch]:
    """The files of a diff; what stands before and between them is passed over. Raises `BadPatch`."""
    return _Reader(lines).read()


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._found: list[FilePatch] = []
        self._named = False
        """Whether the section has had its --- and +++ lines."""

    def read(self) -> list[FilePatch]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("diff --git "):
                self._begin_git(line)
            elif self._is_names(self._at):
                self._names()
                continue
            elif line.startswith("@@") and self._found:
                self._hunk(line)
                continue
            elif self._found and not self._found[-1].hunks:
                self._header(line)
            self._at += 1
        return [_complete(file) for file in self._found]

    def _is_names(self, at: int) -> bool:
        following = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        return self._lines[at].startswith("--- ") and following.startswith("+++ ")

    def _begin_git(self, line: str) -> None:
        """A section of git; its paths may stand nowhere else, as for an empty file."""
        rest = line.removeprefix("diff --git ")
        half = re.fullmatch(r'(?:"?a/(.+?)"?) (?:"?b/\1"?)', rest)
        self._found.append(FilePatch(_unquoted(f'"{half[1]}"') if half else ""))
        self._named = False

    def _header(self, line: str) -> None:
        file = self._found[-1]
        key, _, value = line.partition(" mode ")
        if key in {"new file", "deleted file", "new"}:
            mode = value.split()[0] if value.split() else ""
            if mode not in _PLAIN_MODES:
                raise BadPatch(f"{file.path!r} has the mode {mode}, and only plain files are patched.")
            file.kind = {"new file": "add", "deleted file": "delete"}.get(key, file.kind)
            file.mode = None if key == "deleted file" else _PLAIN_MODES[mode]
        elif line.startswith(("rename from ", "copy from ")):
            file.path = _unquoted(line.partition(" from ")[2])
            file.copy = line.startswith("copy")
        elif line.startswith(("rename to ", "copy to ")):
            file.new_path = _unquoted(line.partition(" to ")[2])
        elif line.startswith(("GIT binary patch", "Binary files ")):
            raise BadPatch(f"{file.path!r} is changed as binary data, which is not applied here.")

    def _names(self) -> None:
        old, new = (_path(self._lines[self._at + place][4:]) for place in (0, 1))
        if not self._found or self._named or self._found[-1].hunks:
            self._found.append(FilePatch(""))
        self._named = True
        file = self._found[-1]
        old, new = _stripped(old, new)
        if old is None and new is None:
            raise BadPatch(f"Line {self._at + 1} of the patch: both files are /dev/null.")
        if old is None:
            file.kind, file.path = "add", new or ""
        elif new is None:
            file.kind, file.path = "delete", old
        else:
            file.path = file.path if file.new_path else old
            file.new_path = file.new_path or ("" if new == old else new)
        self._at += 2

    def _hunk(self, line: str) -> None:
        numbers = _NUMBERS.fullmatch(line)
        hunk = Hunk()
        self._at += 1
        begin = self._at
        if numbers is not None:
            hunk.start = int(numbers[1])
            wanted = [int(numbers[2] or 1), int(numbers[4] or 1)]
            if self._counted(hunk, wanted):
                self._found[-1].hunks.append(hunk)
                return
            hunk = Hunk(start=hunk.start)
        else:
            heading = line.strip("@ ").strip()
            hunk.headings += [heading] if heading and not re.fullmatch(r"[-+,\d .]*", heading) else []
        self._at = begin
        self._as_it_looks(hunk)
        if not hunk.lines:
            raise BadPatch(f"Line {begin} of the patch begins a hunk that has no lines.")
        self._found[-1].hunks.append(hunk)

    def _counted(self, hunk: Hunk, wanted: list[int]) -> bool:
        """Read as many lines as the hunk says; False where they are no lines of a hunk, or more follow."""
        left = list(wanted)
        while (left[0] > 0 or left[1] > 0) and self._at < len(self._lines):
            line = self._lines[self._at]
            sign = line[:1] or " "
            if sign == "\\":
                self._open(hunk)
            elif sign in {" ", "+", "-"}:
                hunk.lines.append((sign, line[1:]))
                left[0] -= sign != "+"
                left[1] -= sign != "-"
            else:
                return False
            self._at += 1
        if left != [0, 0]:
            return False
        while self._at < len(self._lines) and self._lines[self._at].startswith("\\"):
            self._open(hunk)
            self._at += 1
        rest = self._lines[self._at] if self._at < len(self._lines) else ""
        return not rest.startswith((" ", "+", "-")) or self._is_names(self._at) or rest.rstrip() == "--"

    def _as_it_looks(self, hunk: Hunk) -> None:
        """Read lines for as long as they look like those of a hunk."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(("diff --git ", "@@")) or self._is_names(self._at):
                break
            if line.startswith("\\"):
                self._open(hunk)
            elif line[:1] in {" ", "+", "-"} or not line:
                hunk.lines.append((line[:1] or " ", line[1:]))
            else:
                break
            self._at += 1
        while hunk.lines and hunk.lines[-1] == (" ", "") and not self._lines[self._at - 1]:
            hunk.lines.pop()  # blank lines after the patch
            self._at -= 1
        while self._at < len(self._lines) and not self._lines[self._at]:
            self._at += 1

    def _open(self, hunk: Hunk) -> None:
        if not hunk.lines:
            raise BadPatch(
                f"Line {self._at + 1} of the patch speaks of a line end, and no line is before it."
            )
        sign = hunk.lines[-1][0]
        hunk.old_open = hunk.old_open or sign != "+"
        hunk.new_open = hunk.new_open or sign != "-"


def _complete(file: FilePatch) -> FilePatch:
    if not file.path and not file.new_path:
        raise BadPatch("The patch has hunks without the name of a file; add --- and +++ lines.")
    if file.kind == "change" and not file.hunks and not file.new_path and file.mode is None:
        raise BadPatch(f"The patch says nothing of {file.path!r} that shall change.")
    return file


def _path(text: str) -> str | None:
    """A path of a --- or +++ line, without the time behind it; None for no file."""
    name = text if text.startswith('"') else text.split("\t", maxsplit=1)[0]
    name = _unquoted(name.strip())
    return None if name == "/dev/null" else name


def _stripped(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """The paths without the ``a/`` and ``b/`` that git puts before them."""
    fits = (old is None or old.startswith("a/")) and (new is None or new.startswith("b/"))
    if not fits:
        return old, new
    return None if old is None else old[2:], None if new is None else new[2:]


def _unquoted(text: str) -> str:
    """A path as git writes it, in quotes with escapes where it has to be."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    raw = bytearray()
    at = 1
    inner = text[:-1]
    while at < len(inner):
        found = _ESCAPED.match(inner, at)
        if found is None:
            raw += inner[at].encode("utf-8", "surrogatepass")
            at += 1
            continue
        code = found[1]
        raw += bytes([int(code, 8) & 255]) if len(code) == 3 else _LETTERS.get(code, code).encode()
        at = found.end()
    return raw.decode("utf-8", "surrogateescape")

"""The form of patches between ``*** Begin Patch`` and ``*** End Patch``: files by name, places by context."""

from __future__ import annotations

from tooldeck.tools.patches.records import BadPatch, FilePatch, Hunk

__all__ = ["read_envelope"]

_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE, _END_OF_FILE, _END = "*** Move to: ", "*** End of File", "*** End Patch"


def read_envelope(lines: list[str], begins: int) -> list[FilePatch]:
    """The files of a patch that begins at a line; what stands around it is passed over. Raises `BadPatch`."""
    ends = next((at for at in range(begins + 1, len(lines)) if lines[at].strip() == _END), None)
    if ends is None:
        raise BadPatch(f"The patch is cut off: it has no line {_END!r}.")
    found: list[FilePatch] = []
    for at in range(begins + 1, ends):
        line = lines[at]
        if line.startswith((_ADD, _DELETE, _UPDATE)):
            found.append(_begun(line, at))
        elif not found:
            if line.strip():
                raise _odd(at, line, "a line such as *** Update File: PATH")
        else:
            _take(found[-1], line, at)
    for file in found:
        file.hunks = [hunk for hunk in file.hunks if hunk.lines]
        if file.kind == "change" and not file.hunks and not file.new_path:
            raise BadPatch(f"The patch says nothing of {file.path!r} that shall change.")
    return found


def _begun(line: str, at: int) -> FilePatch:
    for start, kind in ((_ADD, "add"), (_DELETE, "delete"), (_UPDATE, "change")):
        if line.startswith(start):
            path = line.removeprefix(start).strip()
            if not path:
                raise _odd(at, line, "a path")
            return FilePatch(path, kind, hunks=[Hunk()])
    raise AssertionError(line)


def _take(file: FilePatch, line: str, at: int) -> None:
    """Read one line of a section."""
    hunk = file.hunks[-1]
    if file.kind == "delete":
        if line.strip():
            raise _odd(at, line, "nothing more about a file that is deleted")
    elif file.kind == "add":
        if not line.startswith("+"):
            raise _odd(at, line, "a line that begins with +")
        hunk.lines.append(("+", line[1:]))
    else:
        _take_change(file, line, at)


def _take_change(file: FilePatch, line: str, at: int) -> None:
    hunk = file.hunks[-1]
    if line.startswith(_MOVE):
        file.new_path = line.removeprefix(_MOVE).strip()
    elif line.strip() == _END_OF_FILE:
        hunk.at_end = True
        file.hunks.append(Hunk())
    elif line.startswith("@@"):
        heading = line.removeprefix("@@").strip().removesuffix("@@").strip()
        if hunk.lines:
            hunk = Hunk()
            file.hunks.append(hunk)
        if heading:
            hunk.headings.append(heading)
    elif line[:1] in {" ", "+", "-"} or not line:
        hunk.lines.append((line[:1] or " ", line[1:]))
    else:
        raise _odd(at, line, "a line that begins with a blank, + or -")


def _odd(at: int, line: str, wanted: str) -> BadPatch:
    return BadPatch(f"Line {at + 1} of the patch is {line[:80]!r}, and {wanted} was expected.")

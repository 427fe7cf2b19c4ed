"""file: read, write, edit and search text files of the workspace, and look around in its folders."""

from __future__ import annotations

import stat as modes
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected
from tooldeck.guards.paths import Workspace, shown_path
from tooldeck.tools.file_records import Changed, FileFacts, FileText, Listed, Paths, SearchHits
from tooldeck.tools.folders.globs import glob_pattern
from tooldeck.tools.folders.listing import Found, below
from tooldeck.tools.folders.searching import Wanted, searched
from tooldeck.tools.texts.changes import Change, Replacement, appended, edited, expected, written
from tooldeck.tools.texts.documents import Document, NotText, decode, digest
from tooldeck.tools.texts.pages import Page, page_of, page_of_cells
from tooldeck.tools.texts.snapshots import snapshots_of

__all__ = ["file"]

MOST_BYTES = 20_000_000
"""Longer files are neither read nor changed."""
_ENTRIES = 1_000
"""Entries that a list names at most."""

file = ActionTool(
    "file",
    "Read, write, edit and search the text files of the workspace, and list its folders. Paths are relative "
    "to its root, with slashes.",
    max_chars=60_000,
)

FilePath = Annotated[str, Field(description="Path of the file, relative to the workspace.")]
FolderPath = Annotated[str, Field(description="Path of the folder, relative to the workspace.")]
ExpectHash = Annotated[
    str | None,
    Field(description="The hash that a read showed: nothing is changed where the file has another by now."),
]


@file.action(
    effects="read",
    trust="untrusted",
    examples=[{"path": "src/lamp.py"}, {"path": "README.md", "offset": 2, "limit": 1}],
)
def read(
    path: FilePath,
    *,
    workspace: Injected[Workspace],
    offset: Annotated[int, Field(ge=1, description="The first line to read, from 1.")] = 1,
    limit: Annotated[int, Field(ge=1, le=10_000, description="Lines to read at most.")] = 2_000,
    anchors: Annotated[bool, Field(description="Whether each line has its anchor before it.")] = True,
    encoding: Annotated[str | None, Field(description="The encoding, where it is not UTF-8.")] = None,
    raw: Annotated[bool, Field(description="Whether a notebook is read as JSON, not as cells.")] = False,
) -> FileText:
    """Read a text file, page by page, each line with an anchor for later edits; a notebook as its cells.

    The first line of the answer has the hash of the file.
    """
    with workspace.at(path, "file") as entry:
        data, where = entry.read(MOST_BYTES), entry.path
    snapshots_of(workspace).keep(where, data)
    document = decode(data, path, encoding)
    page = Page(offset, limit)
    if where.casefold().endswith(".ipynb") and not raw:
        return page_of_cells(where, data, document, page, anchors=anchors)
    return page_of(where, data, document, page, anchors=anchors)


def _preview(change: Change) -> str:
    return change.diff or "nothing changes"


@file.action(
    effects="read,write",
    idempotent=True,
    preview=lambda path, content, expect_hash, create_only, workspace: _preview(
        written(_before(workspace, path, expect_hash), path, content, create_only=create_only)
    ),
    examples=[
        {"path": "notes/new.txt", "content": "first line\n"},
        {"path": "README.md", "content": "# Lamp\n"},
    ],
)
def write(
    path: FilePath,
    content: Annotated[str, Field(description="The whole new text.")],
    *,
    workspace: Injected[Workspace],
    expect_hash: ExpectHash = None,
    create_only: Annotated[bool, Field(description="Refuse where there is a file already.")] = False,
) -> Changed:
    """Write a whole file, making the folders on the way; it is replaced in one step.

    An existing file keeps its mode, encoding and kind of line ends.
    """
    return _changed(
        workspace, path, expect_hash, lambda before: written(before, path, content, create_only=create_only)
    )


@file.action(
    effects="read,write",
    trust="untrusted",
    preview=lambda path, old, new, count, cell, expect_hash, workspace: _preview(
        edited(_before(workspace, path, expect_hash), path, Replacement(old, new, count, cell))
    ),
    examples=[{"path": "src/lamp.py", "old": "level: int = 5", "new": "level: int = 7"}],
)
def edit(
    path: FilePath,
    *,
    old: Annotated[str, Field(description="The text to replace, exactly as it stands in the file.")],
    new: Annotated[str, Field(description="The text to put in its place; empty to delete.")],
    workspace: Injected[Workspace],
    count: Annotated[
        int,
        Field(ge=0, description="How many times the text stands there; 0 for any number. All are replaced."),
    ] = 1,
    cell: Annotated[
        str, Field(description="Of a notebook: the id or the number of the cell whose source is changed.")
    ] = "",
    expect_hash: ExpectHash = None,
) -> Changed:
    """Replace a text that stands in a file, which must be unique unless `count` says otherwise.

    Where it is not there exactly, blanks at line ends, indentation, typographic characters and escapes are
    passed over in turn, and the answer says so.
    """
    wanted = Replacement(old, new, count, cell)
    return _changed(workspace, path, expect_hash, lambda before: edited(before, path, wanted))


@file.action(
    effects="read,write",
    preview=lambda path, content, expect_hash, workspace: _preview(
        appended(_before(workspace, path, expect_hash), path, content)
    ),
    examples=[{"path": "notes/todo.txt", "content": "screw it in\n"}],
)
def append(
    path: FilePath,
    content: Annotated[str, Field(description="The text to add, which begins a new line.")],
    workspace: Injected[Workspace],
    expect_hash: ExpectHash = None,
) -> Changed:
    """Add lines at the end of a file, or make it."""
    return _changed(workspace, path, expect_hash, lambda before: appended(before, path, content))


@file.action(
    effects="read",
    trust="untrusted",
    timeout=60,
    examples=[{"pattern": "lamp"}, {"pattern": r"def \w+\(", "regex": True, "glob": "*.py", "context": 0}],
)
async def search(
    pattern: Annotated[
        str, Field(description="The text to look for, or a regular expression (Rust's kind).")
    ],
    *,
    workspace: Injected[Workspace],
    cancel: Injected[CancelToken],
    path: Annotated[str, Field(description="A folder or a file, relative to the workspace.")] = ".",
    regex: Annotated[bool, Field(description="Whether the pattern is a regular expression.")] = False,
    glob: Annotated[
        str | None,
        Field(description="Which files, such as *.py or src/**/*.{js,ts}; without a slash anywhere."),
    ] = None,
    context: Annotated[int, Field(ge=0, le=20, description="Lines shown around each hit.")] = 2,
    max_results: Annotated[int, Field(ge=1, le=1_000, description="Hits at most.")] = 50,
    case: Annotated[
        Literal["smart", "exact", "ignore"],
        Field(description="smart: case counts where the pattern has a capital letter."),
    ] = "smart",
) -> SearchHits:
    """Search what stands in files, line by line; ignored and binary files are left out.

    The answer says how many files could not be looked into, and names the first of them.
    """
    ignore = case == "ignore" or (case == "smart" and pattern == pattern.lower())
    wanted = Wanted(pattern, path, regex, ignore, glob, context)
    return SearchHits(*await searched(workspace, wanted, max_results, cancel))


@file.action(
    name="list",
    effects="read",
    trust="untrusted",
    examples=[{}, {"path": "src", "depth": 2, "sort": "size"}],
)
def list_folder(
    *,
    workspace: Injected[Workspace],
    cancel: Injected[CancelToken],
    path: FolderPath = ".",
    depth: Annotated[int, Field(ge=1, le=50, description="How many levels of folders.")] = 1,
    all: Annotated[bool, Field(description="Whether ignored files are listed as well.")] = False,
    sort: Annotated[
        Literal["name", "size", "modified"], Field(description="The largest or latest first, or by name.")
    ] = "name",
) -> Paths:
    """List what is in a folder, with sizes; folders end in a slash."""
    found = list(islice(below(workspace, path, depth=depth, everything=all, cancel=cancel), _ENTRIES * 10))
    if sort != "name":
        found.sort(key=lambda one: -(one.info.st_size if sort == "size" else one.info.st_mtime_ns))
    return _paths(found, _ENTRIES)


@file.action(
    effects="read",
    trust="untrusted",
    examples=[{"pattern": "**/*.py"}, {"pattern": "**/*.{md,txt}", "max_results": 5}],
)
def glob(
    pattern: Annotated[str, Field(description="Such as src/**/*.py or **/*.{md,txt}.")],
    workspace: Injected[Workspace],
    cancel: Injected[CancelToken],
    path: FolderPath = ".",
    max_results: Annotated[int, Field(ge=1, le=10_000, description="Files at most.")] = 200,
) -> Paths:
    """Find files by a pattern of their paths below a folder; ignored files are left out."""
    whole = glob_pattern(pattern)
    start = workspace.relative(path)
    prefix = "" if start == "." else f"{start}/"
    found = (
        one
        for one in below(workspace, path, cancel=cancel)
        if not one.is_folder and whole.match(one.path.removeprefix(prefix))
    )
    return _paths(list(islice(found, max_results + 1)), max_results)


@file.action(effects="read", examples=[{"path": "README.md"}, {"path": "src"}])
def stat(path: FilePath, workspace: Injected[Workspace]) -> FileFacts:
    """Tell what a file, folder or link is: size, mode, time, and of a text its encoding, lines and hash."""
    with workspace.at(path, follow=False) as entry:
        info = entry.info
        if info is None:
            raise ExpectedError(f"There is no file {shown_path(path)}.")
        kind = _kind(info.st_mode)
        data = entry.read(MOST_BYTES) if kind == "file" and info.st_size <= MOST_BYTES else None
        facts = FileFacts(
            entry.path, kind, info.st_size, modes.filemode(info.st_mode),
            datetime.fromtimestamp(info.st_mtime, UTC).isoformat(timespec="seconds"),
        )  # fmt: skip
    return facts if data is None else facts.of_text(data, _document(data, path))


def _document(data: bytes, path: str) -> Document | None:
    try:
        return decode(data, path)
    except NotText:
        return None


def _before(workspace: Workspace, path: str, expect_hash: str | None) -> bytes | None:
    """What a change will be made of, for a preview."""
    return expected(workspace.before(path, MOST_BYTES), path, expect_hash)


def _changed(
    workspace: Workspace, path: str, expect_hash: str | None, make: Callable[[bytes | None], Change]
) -> Changed:
    """Carry a change out under the lock, and say what it was."""
    done: list[Change] = []

    def change(before: bytes | None) -> bytes:
        done.append(make(expected(before, path, expect_hash)))
        return done[0].data

    where = workspace.update(path, change, MOST_BYTES)
    snapshots_of(workspace).keep(where, done[0].data)
    return Changed(where, digest(done[0].data), done[0].created, done[0].told, done[0].diff)


def _kind(mode: int) -> str:
    if modes.S_ISLNK(mode):
        return "link"
    return "folder" if modes.S_ISDIR(mode) else "file" if modes.S_ISREG(mode) else "other"


def _paths(found: list[Found], most: int) -> Paths:
    shown = tuple(
        Listed(one.path, _kind(one.info.st_mode), one.info.st_size, one.info.st_mtime) for one in found[:most]
    )
    return Paths(shown, more=len(found) > most)

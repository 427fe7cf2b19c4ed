"""Which lines below a folder have a text or fit a pattern.

Patterns are of Rust's engine, whose time is in proportion to the text. Where ripgrep is installed it says
which files are worth reading, and the answer is made here all the same, so that it is the same without.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.environment import environment
from tooldeck.guards.paths import PathRefused, Workspace, shown_path
from tooldeck.guards.patterns import UnsafePattern, linear
from tooldeck.guards.programs import find_program
from tooldeck.guards.running import MIB, Limits, run
from tooldeck.tools.folders.globs import glob_pattern
from tooldeck.tools.folders.listing import Found, below
from tooldeck.tools.texts.documents import BINARY_STARTS, NotText, decode

__all__ = ["Hit", "LinesFound", "Wanted", "searched"]

MOST_BYTES = 10_000_000
"""Longer files are not searched."""
_LONGEST = 20_000
"""Characters of a line that are looked at."""
_RG = Limits(seconds=20.0, kept=8 * MIB)
_RG_OPTIONS = ("--no-config", "--no-ignore", "--hidden", "--text", "-l", "-0")
_STARTS = ("".join(f"\\x{byte:02x}" for byte in start) for start in BINARY_STARTS)
_NO_TEXT = rf"(?-u)\x00|^(?:{'|'.join(_STARTS)})"
"""What only files have that may be binary; which of them are is decided when they are read."""
_NAMED = 3
"""Names of what was left out that are told."""
_SPECIAL = re.compile(r"(?=[!-~])[^A-Za-z0-9_<>]")
"""What stands for itself behind a backslash; an escaped < or > would be the edge of a word."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that fits, with those around it."""

    path: str
    line: int
    """From 1."""
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Wanted(NamedTuple):
    """What is searched for, and where."""

    pattern: str
    path: str
    regex: bool
    ignore_case: bool
    glob: str | None
    context: int
    """Lines around each hit."""


class LinesFound(NamedTuple):
    """What came of a search."""

    hits: tuple[Hit, ...]
    more: bool
    """Whether there are further ones."""
    left_out: tuple[str, ...]
    """What was not looked into on the way, in words: how many of each kind, with the first names."""


class _LeftOut:
    """What is not looked into."""

    def __init__(self) -> None:
        self._paths: dict[str, list[str]] = {}

    def add(self, kind: str, path: str) -> None:
        self._paths.setdefault(kind, []).append(path)

    def told(self) -> tuple[str, ...]:
        return tuple(
            f"{len(paths)} {kind} ({', '.join(shown_path(path)[1:-1] for path in paths[:_NAMED])}"
            f"{', …' if len(paths) > _NAMED else ''})"
            for kind, paths in self._paths.items()
        )


async def searched(workspace: Workspace, wanted: Wanted, most: int, cancel: CancelToken) -> LinesFound:
    """The first lines that fit, file by file in order. Raises `ExpectedError` for what is no pattern."""
    fits = _line_test(wanted)
    worth = await _worth_reading(workspace, wanted)
    left_out = _LeftOut()
    files = _worth(_files(workspace, wanted, cancel, left_out), worth)
    found = _hits(workspace, wanted, files, fits, left_out)
    hits = await asyncio.to_thread(lambda: tuple(islice(found, most + 1)))
    return LinesFound(hits[:most], len(hits) > most, left_out.told())


def _hits(
    workspace: Workspace,
    wanted: Wanted,
    files: Iterator[Found],
    fits: Callable[[str], bool],
    left_out: _LeftOut,
) -> Iterator[Hit]:
    for file in files:
        lines = _lines(workspace, file, left_out)
        for place, line in enumerate(lines):
            if fits(line[:_LONGEST]):
                before = lines[max(0, place - wanted.context) : place]
                after = lines[place + 1 : place + 1 + wanted.context]
                yield Hit(file.path, place + 1, line, tuple(before), tuple(after))


def _lines(workspace: Workspace, file: Found, left_out: _LeftOut) -> list[str]:
    if file.info.st_size > MOST_BYTES:
        left_out.add(f"of more than {MOST_BYTES // 1_000_000} MB", file.path)
        return []
    try:
        return decode(workspace.read(file.path, MOST_BYTES), file.path).lines
    except NotText:
        left_out.add("binary", file.path)
    except PathRefused:
        left_out.add("unreadable", file.path)
    return []


def _worth(files: Iterator[Found], worth: set[str] | None) -> Iterator[Found]:
    """Those that are worth reading, and those too long for it, which are told of."""
    for file in files:
        if worth is None or file.path in worth or file.info.st_size > MOST_BYTES:
            yield file


def _files(workspace: Workspace, wanted: Wanted, cancel: CancelToken, left_out: _LeftOut) -> Iterator[Found]:
    glob = wanted.glob
    with workspace.at(wanted.path) as entry:
        start, is_folder, info = entry.path, entry.is_folder, entry.info
    if not is_folder and info is not None:
        yield Found(start, info)
        return
    whole = None if glob is None else glob_pattern(glob if "/" in glob else f"**/{glob}")
    prefix = "" if start == "." else f"{start}/"
    for found in below(
        workspace, start, cancel=cancel, unread=lambda path: left_out.add("unreadable", f"{path}/")
    ):
        cancel.raise_if_cancelled()
        if found.is_file and (whole is None or whole.match(found.path.removeprefix(prefix))):
            yield found


def _line_test(wanted: Wanted) -> Callable[[str], bool]:
    if not wanted.pattern:
        raise ExpectedError("There is nothing to search for: the pattern is empty.")
    if not wanted.regex and not wanted.ignore_case:
        return lambda line: wanted.pattern in line
    rust = wanted.pattern if wanted.regex else _SPECIAL.sub(r"\\\g<0>", wanted.pattern)
    try:
        return linear(f"(?i){rust}" if wanted.ignore_case else rust)
    except UnsafePattern:
        raise ExpectedError(
            f"{wanted.pattern!r} cannot be searched for: it is no regular expression, or has look-around "
            "or back references, which take too long. Search for a simpler one, or for a text."
        ) from None


async def _worth_reading(workspace: Workspace, wanted: Wanted) -> set[str] | None:
    """The files that ripgrep finds a text in, or that may be binary; None where it might see less than we."""
    pattern, env = wanted.pattern, environment()
    with workspace.at(wanted.path) as entry:
        start = entry.path
        if not entry.is_folder or not pattern.isascii() or "\n" in pattern or wanted.regex:
            return None
    fixed = ["-F", "-i"] if wanted.ignore_case else ["-F"]
    names: list[bytes] = []
    for options in ([*fixed, "-e", pattern], ["-e", _NO_TEXT]):
        try:
            words = [find_program("rg", env), *_RG_OPTIONS, *options, "--", "."]
            done = await run(words, cwd=workspace.real(start), env=env, limits=_RG)
        except SetupError:
            return None
        if done.stopped or done.exit_code not in {0, 1} or done.stdout.left_out:
            return None
        names += done.stdout.data.split(b"\0")
    found = [os.fsdecode(name.removeprefix(b"./")) for name in names if name]
    return {name if start == "." else f"{start}/{name}" for name in found}

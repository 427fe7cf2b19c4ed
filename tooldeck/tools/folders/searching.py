"""Which lines below a folder have a text or fit a pattern.

Patterns are of Rust's engine, whose time is in proportion to the text. Where ripgrep is installed it says
which files are worth reading, and the answer is made here all the same, so that it is the same without.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.tools.folders.globs import glob_pattern
from tooldeck.tools.folders.listing import Found, below
from tooldeck.tools.texts.documents import NotText, decode

__all__ = ["Hit", "searched"]

MOST_BYTES = 10_000_000
"""Longer files are not searched."""
_LONGEST = 20_000
"""Characters of a line that are looked at."""
_RG_SECONDS = 20.0
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


def searched(
    workspace: Workspace,
    pattern: str,
    path: str,
    *,
    regex: bool,
    ignore_case: bool,
    glob: str | None,
    context: int,
    cancel: CancelToken,
) -> Iterator[Hit]:
    """The lines that have `pattern`, file by file in order. Raises `ExpectedError` for what is no pattern."""
    fits = _line_test(pattern, regex=regex, ignore_case=ignore_case)
    worth = _worth_reading(workspace, pattern, path, regex=regex, ignore_case=ignore_case)
    for file in _files(workspace, path, glob, cancel):
        if worth is not None and file.path not in worth:
            continue
        if file.info.st_size > MOST_BYTES:
            continue
        try:
            lines = decode(workspace.read(file.path, MOST_BYTES), file.path).lines
        except (NotText, PathRefused):
            continue
        for place, line in enumerate(lines):
            if fits(line[:_LONGEST]):
                before, after = lines[max(0, place - context) : place], lines[place + 1 : place + 1 + context]
                yield Hit(file.path, place + 1, line, tuple(before), tuple(after))


def _files(workspace: Workspace, path: str, glob: str | None, cancel: CancelToken) -> Iterator[Found]:
    with workspace.at(path) as entry:
        start, is_folder, info = entry.path, entry.is_folder, entry.info
    if not is_folder and info is not None:
        yield Found(start, info)
        return
    whole = None if glob is None else glob_pattern(glob if "/" in glob else f"**/{glob}")
    prefix = "" if start == "." else f"{start}/"
    for found in below(workspace, start, cancel=cancel):
        if found.is_file and (whole is None or whole.match(found.path.removeprefix(prefix))):
            yield found


def _line_test(pattern: str, *, regex: bool, ignore_case: bool) -> Callable[[str], bool]:
    if not pattern:
        raise ExpectedError("There is nothing to search for: the pattern is empty.")
    if not regex and not ignore_case:
        return lambda line: pattern in line
    rust = pattern if regex else _SPECIAL.sub(r"\\\g<0>", pattern)
    try:
        schema = core_schema.str_schema(
            pattern=f"(?i){rust}" if ignore_case else rust, regex_engine="rust-regex"
        )
        validator = SchemaValidator(schema)
    except SchemaError as error:
        why = " ".join(str(error).split())[:300]
        raise ExpectedError(
            f"{pattern!r} is no regular expression of Rust's kind (no look-around, no back references): {why}"
        ) from None

    def fits(line: str) -> bool:
        try:
            validator.validate_python(line)
        except ValidationError:
            return False
        return True

    return fits


def _worth_reading(
    workspace: Workspace, pattern: str, path: str, *, regex: bool, ignore_case: bool
) -> set[str] | None:
    """The files that ripgrep finds the pattern in; None where it is not there or might see less than we."""
    program = shutil.which("rg")
    with workspace.at(path) as entry:
        if program is None or not entry.is_folder or not pattern.isascii() or "\n" in pattern or regex:
            return None
    options = [
        "--no-config",
        "--no-ignore",
        "--hidden",
        "--text",
        "-l",
        "-0",
        "-F",
        *(["-i"] if ignore_case else []),
    ]
    try:
        done = subprocess.run(
            [program, *options, "-e", pattern, "--", "."], cwd=workspace.real(path), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=_RG_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode not in {0, 1}:
        return None
    start = workspace.relative(path)
    names = (
        name.removeprefix(b"./").decode("utf-8", "surrogateescape")
        for name in done.stdout.split(b"\0")
        if name
    )
    return {name if start == "." else f"{start}/{name}" for name in names}

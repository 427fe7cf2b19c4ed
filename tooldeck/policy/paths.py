"""Where a path leads, for rules: the same file in every spelling, through ``~``, ``..``, links and ``/proc``.

Relative paths, of calls and of rules, are those of the current folder, and of the folders that the tools of
a deck work in (`seen_from`): which of them a tool means, nobody here knows.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["leads_elsewhere", "leads_there", "seen_from", "spelled_out"]

_folders: ContextVar[tuple[str, ...]] = ContextVar("folders", default=())

_MARK = re.compile(r"[*?[]")
_LONGEST = 4096
"""Characters of the longest path that a system takes."""


@contextmanager
def seen_from(folders: Iterable[str]) -> Generator[None]:
    """Within the block, relative paths may be those of these folders as well."""
    token = _folders.set(tuple(folders))
    try:
        yield
    finally:
        _folders.reset(token)


def spelled_out(pattern: str) -> str:
    """A pattern whose ``~`` stands for the person's own folder."""
    return os.path.expanduser(pattern) if pattern.startswith("~") else pattern  # noqa: PTH111 - a pattern


def leads_there(text: str, pattern: str) -> bool:
    """Whether a text, read as a path, leads to what a pattern names.

    Letter case does not count: whether it does on disk depends on the folder.
    """
    meant = [one.casefold() for one in _patterns(pattern)]
    return any(_fits(real.casefold(), meant) for real in _places(text))


def leads_elsewhere(text: str, pattern: str) -> bool:
    """Whether a text that fits a pattern as it stands leads, read as a path, to something else."""
    meant = _patterns(pattern)
    return not all(_fits(real, meant) for real in _places(text))


def _fits(real: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(real, one) for one in patterns)


def _places(text: str) -> list[str]:
    """The real paths that a text may mean; none where it is hardly a path."""
    if not text or len(text) > _LONGEST or "\0" in text:
        return []
    if "/" not in text and not text.startswith("~") and not any(map(os.path.lexists, _spread(text))):
        return []
    spread = [one for spelling in (text, spelled_out(text)) for one in _spread(spelling)]
    return [real for real in map(_real, dict.fromkeys(spread)) if real]


def _patterns(pattern: str) -> list[str]:
    """What a pattern means for real paths: of a ``~`` nobody knows whether the tool knows it."""
    spread = [one for spelling in (pattern, spelled_out(pattern)) for one in _spread(spelling, glob.escape)]
    return [_pattern(one) for one in dict.fromkeys(spread)]


def _spread(path: str, named: Callable[[str], str] = str) -> list[str]:
    """A path or pattern as it stands, and from each of the folders."""
    if path.startswith(("/", "*")):
        return [path]
    return [path, *(f"{named(folder)}/{path}" for folder in _folders.get())]


def _pattern(pattern: str) -> str:
    """The pattern for real paths: what stands before its first mark is made one; empty if it cannot be."""
    if pattern.startswith("*"):
        return pattern  # anywhere
    mark = _MARK.search(pattern)
    if mark is None:
        return glob.escape(_real(pattern))
    folder, slash, first = pattern[: mark.start()].rpartition("/")
    real = _real(folder + slash or ".")
    return real and f"{glob.escape(real.rstrip('/'))}/{first}{pattern[mark.start() :]}"


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # the current folder is gone, or no path can be like this
        return ""

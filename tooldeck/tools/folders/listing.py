"""The files below a folder of the workspace, in order, without those that ``.gitignore`` files leave out."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from tooldeck.core.cancel import CancelToken
from tooldeck.guards.paths import OWN, PathRefused, Workspace

__all__ = ["Found", "below"]

MOST_LEVELS = 200
"""Levels of folders that are looked into."""
_IGNORE = ".gitignore"
_MOST_RULES = 1_000_000
"""Bytes of an ignore file that are read."""


class Found(NamedTuple):
    """Something below a folder."""

    path: str
    """From the root of the workspace on."""
    info: os.stat_result

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder; a link to one is not."""
        return stat.S_ISDIR(self.info.st_mode)

    @property
    def is_file(self) -> bool:
        """Whether it is a plain file."""
        return stat.S_ISREG(self.info.st_mode)


class _Rules(NamedTuple):
    """The rules of one ignore file."""

    folder: str
    spec: GitIgnoreSpec

    def say(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether a path is left out; None where nothing here speaks of it."""
        inside = path.removeprefix(f"{self.folder}/") if self.folder != "." else path
        return self.spec.check_file(f"{inside}/" if is_folder else inside).include


def below(
    workspace: Workspace,
    path: str = ".",
    *,
    depth: int = MOST_LEVELS,
    everything: bool = False,
    cancel: CancelToken | None = None,
    unread: Callable[[str], None] | None = None,
) -> Iterator[Found]:
    """What lies below a folder, folders before what is in them, by name; no link is followed.

    `depth` is how many levels. `everything` has what is ignored and the folders of git and of the deck as
    well; `unread` hears of each folder that cannot be listed. Raises `PathRefused`.
    """
    start = workspace.relative(path)
    rules = () if everything else _above(workspace, start)
    if start != "." and _left_out(rules, start, True):
        rules = ()  # whoever names an ignored folder means what is in it
    yield from _Descent(workspace, everything, cancel, unread).into(start, rules, depth)


class _Descent(NamedTuple):
    """One way down."""

    workspace: Workspace
    everything: bool
    cancel: CancelToken | None
    unread: Callable[[str], None] | None

    def into(self, folder: str, rules: tuple[_Rules, ...], depth: int) -> Iterator[Found]:
        """What is in a folder and below it; `rules` are those of the folders above."""
        if self.cancel is not None:
            self.cancel.raise_if_cancelled()
        names, own = _listed(self.workspace, folder, read_rules=not self.everything)
        rules = (*rules, own) if own is not None else rules
        for name, info in names:
            found = Found(name if folder == "." else f"{folder}/{name}", info)
            if not self.everything and (
                name.casefold() in OWN or _left_out(rules, found.path, found.is_folder)
            ):
                continue
            yield found
            if found.is_folder and depth > 1:
                try:
                    yield from self.into(found.path, rules, depth - 1)
                except PathRefused:  # it was taken away, or may not be read
                    if self.unread is not None:
                        self.unread(found.path)


def _listed(
    workspace: Workspace, folder: str, *, read_rules: bool
) -> tuple[list[tuple[str, os.stat_result]], _Rules | None]:
    """The names in a folder with what they are, and the rules of its ignore file."""
    with workspace.at(folder, "folder") as entry:
        handle = entry.open()
    try:
        with os.scandir(handle) as entries:
            found = [(one.name, one.stat(follow_symlinks=False)) for one in entries]
    finally:
        os.close(handle)
    has_rules = read_rules and any(name == _IGNORE and stat.S_ISREG(info.st_mode) for name, info in found)
    return sorted(found), _rules(workspace, folder) if has_rules else None


def _rules(workspace: Workspace, folder: str) -> _Rules | None:
    path = _IGNORE if folder == "." else f"{folder}/{_IGNORE}"
    try:
        text = workspace.read(path, _MOST_RULES).decode("utf-8", "replace")
    except PathRefused:
        return None
    lines = [line for line in text.splitlines() if _is_rule(line)]
    return _Rules(folder, GitIgnoreSpec.from_lines(lines)) if lines else None


def _is_rule(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except Exception:  # noqa: BLE001 - git passes over a line that it cannot read
        return False
    return True


def _above(workspace: Workspace, start: str) -> tuple[_Rules, ...]:
    """The rules of the folders from the root down to the one that holds `start`."""
    if start == ".":
        return ()
    names = start.split("/")[:-1]
    folders = [".", *("/".join(names[: place + 1]) for place in range(len(names)))]
    found = [_rules(workspace, folder) for folder in folders]
    return tuple(rules for rules in found if rules is not None)


def _left_out(rules: tuple[_Rules, ...], path: str, is_folder: bool) -> bool:  # noqa: FBT001 - one of two facts of an entry
    """Whether the deepest ignore file that speaks of a path leaves it out."""
    for one in reversed(rules):
        said = one.say(path, is_folder=is_folder)
        if said is not None:
            return said
    return False

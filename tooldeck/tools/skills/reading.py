"""A skill: a folder with a ``SKILL.md``, instructions under a heading of YAML, and files beside it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.documents import read_yaml
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.guards.suspicion import Severity, hidden, misleading

__all__ = ["MAIN", "Skill", "read_skill"]

MAIN = "SKILL.md"
MOST_BYTES = 500_000
"""Bytes of a file of a skill."""
_MOST_FILES = 200
_SYSTEMS = {"mac": "macos", "darwin": "macos", "osx": "macos", "win": "windows", "win32": "windows"}
_SYSTEM = _SYSTEMS.get(sys.platform, sys.platform)
_MOST_FOLDERS = 50
_HEADING = re.compile(r"\ufeff?---[ \t]*\r?\n(.{0,20000}?)\r?\n---[ \t]*(?:\r?\n|\Z)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that was found."""

    name: str
    """What its heading calls it, else its folder."""
    folder: str
    place: str
    """``project``, ``user`` or the name of a plug-in."""
    files: Workspace | None = field(repr=False)
    """Its folder, which no path leads out of; None for one that is a single file."""
    description: str = ""
    heading: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)
    text: str = field(default="", repr=False)
    sha256: str = ""
    problem: str = ""
    """Why its heading could not be read, or empty."""
    released: frozenset[str] = field(default=frozenset(), repr=False)
    """SHA-256 of texts that a person has read and found harmless."""
    held: str = ""
    """Why its text is not given to a model before somebody has read it, or empty."""

    def listed(self, *names: str) -> list[str]:
        """A list of texts in the heading, also where it is written as one text with commas or blanks."""
        for name in names:
            given = self.heading.get(name)
            if isinstance(given, str):
                return [part for part in re.split(r"[,\s]+", given) if part]
            if isinstance(given, list):
                return [str(part) for part in given[:100]]
        return []

    def linked(self) -> dict[str, list[str]]:
        """Its other files by kind: the folder that they lie in."""
        found: dict[str, list[str]] = {}
        for path in sorted(_walk(self.files)) if self.files is not None else ():
            if path != MAIN:
                folder, _, _ = path.rpartition("/")
                found.setdefault(folder.partition("/")[0] or "files", []).append(path)
        return found

    def missing(self) -> list[str]:
        """What it says it needs and this machine does not have: variables and programs."""
        variables = [name for name in self.listed("environment", "env") if name not in os.environ]
        programs = [name for name in self.listed("requires", "commands") if shutil.which(name) is None]
        return [f"variable {name}" for name in variables] + [f"program {name}" for name in programs]

    def closed(self) -> str:
        """Why it is not to be used here, by its own heading; empty when it may."""
        if self.heading.get("disabled") is True:
            return "is switched off by its heading"
        systems = [one.casefold() for one in self.listed("platforms", "platform", "os")]
        if systems and not {_SYSTEM, sys.platform} & {_SYSTEMS.get(one, one) for one in systems}:
            return f"is for {', '.join(systems)}, and this is {_SYSTEM}"
        return self.held and f"is held back: {self.held}"

    def read(self, path: str) -> str:
        """The text of one of its files; raises `ExpectedError`, with the files that there are."""
        try:
            data = None if self.files is None else self.files.read(path, MOST_BYTES)
        except PathRefused:
            data = None
        if data is None:
            have = [one for group in self.linked().values() for one in group]
            listed = f"it has {', '.join(have[:20])}" if have else "it has no other files"
            raise ExpectedError(f"The skill {self.name!r} has no text {path!r} to read; {listed}.")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ExpectedError(f"{path!r} of {self.name!r} is no text, {len(data):,} bytes.") from None
        if held := _held_back(data, text, self.released):
            raise ExpectedError(f"{path!r} of the skill {self.name!r} is held back: {held}.")
        return text


def _held_back(data: bytes, text: str, released: frozenset[str]) -> str:
    """Why a text of a skill is not given to a model, with how somebody who has read it releases it."""
    digest = hashlib.sha256(data).hexdigest()
    found = "" if digest in released else _danger(text)
    return found and f"{found}. Read it; Skills(…, released=[{digest!r}]) gives it to models all the same"


@lru_cache(1_000)
def _danger(text: str) -> str:
    """What in a text honest ones hardly ever have, or empty."""
    words = next((found[1:] for found in misleading(text) if found[0] is Severity.DANGER), None)
    what = next(hidden(text), words)
    return f"it has {what[0]}: “{what[1]}”" if what else ""


def read_skill(folder: str, name: str, place: str, released: frozenset[str] = frozenset()) -> Skill:
    """The skill of a name that was listed in a folder: a folder with a ``SKILL.md``, or a file ``….md``.

    One with hidden characters or words that honest texts hardly ever have is held back, unless its SHA-256
    is `released`.
    Raises `PathRefused` where it is neither.
    """
    files = None
    if name.endswith(".md") and os.path.isfile(os.path.join(folder, name)):  # noqa: PTH113, PTH118 - names
        data, name = Workspace(folder).read(name, MOST_BYTES), name.removesuffix(".md")
    else:
        files = Workspace(os.path.join(folder, name))  # noqa: PTH118 - as above
        data = files.read(MAIN, MOST_BYTES)
    text = data.decode("utf-8-sig", "replace")
    found = _HEADING.fullmatch(text)
    heading, problem = _heading(found[1]) if found else ({}, "")
    called = heading.get("name")
    return Skill(
        str(called).strip()[:100] if isinstance(called, str) and called.strip() else name,
        name,
        place,
        files,
        " ".join(str(heading.get("description") or "").split())[:500],
        heading,
        found[2].strip() if found else text.strip(),
        hashlib.sha256(data).hexdigest(),
        problem,
        released,
        _held_back(data, text, released),
    )


def _heading(text: str) -> tuple[dict[str, Any], str]:
    try:
        read = read_yaml(text)
    except ImportError:
        return {}, "reading its heading needs the package pyyaml: pip install pyyaml"
    except ValueError as error:
        return {}, f"its heading is no YAML: {error}"
    if read is None or isinstance(read, dict):
        return read or {}, ""
    return {}, "its heading has no names in it"


def _walk(files: Workspace) -> Iterable[str]:
    folders, count = ["."], 0
    for _ in range(_MOST_FOLDERS):
        if not folders:
            return
        folder = folders.pop()
        for name in _names(files, folder):
            path = name if folder == "." else f"{folder}/{name}"
            try:
                files.real(path)  # a link that leads out is no file of it
                with files.at(path, follow=False) as entry:
                    if entry.is_folder:
                        folders.append(path)
                        continue
            except PathRefused:
                continue
            count += 1
            yield path
            if count >= _MOST_FILES:
                return


def _names(files: Workspace, folder: str) -> list[str]:
    with files.at(folder, "folder") as entry:
        handle = entry.open()
        try:
            return sorted(name for name in os.listdir(handle) if not name.startswith("."))  # noqa: PTH208
        finally:
            os.close(handle)

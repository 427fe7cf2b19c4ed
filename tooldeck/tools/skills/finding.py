"""Where skills are looked for, and which one a name means."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.core.strangers import error_words
from tooldeck.core.vocabulary import nearest
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.tools.skills.reading import Skill, read_skill

__all__ = ["GROUP", "Skills"]

GROUP = "tooldeck.skills"
"""The entry point group of packages with skills; each leads to the path of a folder of skills."""
_PROJECT = ".tooldeck/skills"
_USER = "~/.config/tooldeck/skills"
_MOST = 500
"""Skills of one place that are looked at."""
_NAMED = 20


class Skills:
    """The skills of some folders, the more important first; by default project, user, plug-ins.

    `folders` are by the name of the place; `released` has the SHA-256 of texts that are given to models
    although they look as if they were to mislead. ``deck.provide(Skills, Skills(…))`` gives a deck others.
    """

    def __init__(
        self, folders: Mapping[str, str | os.PathLike[str]], *, released: Iterable[str] = ()
    ) -> None:
        self.released = frozenset(released)
        self.folders = MappingProxyType({place: os.fspath(folder) for place, folder in folders.items()})
        self.problems: list[str] = []
        """What could not be looked at, in words."""

    @classmethod
    def usual(cls, workspace: Workspace, *, released: Iterable[str] = ()) -> Skills:
        """Those of the project, of the user and of plug-ins."""
        places: dict[str, str] = {
            "project": str(workspace.root / _PROJECT),
            "user": str(Path(_USER).expanduser()),
        }
        problems: list[str] = []
        for point in entry_points(group=GROUP):
            try:
                places.setdefault(point.name, os.fspath(point.load()))
            except Exception as error:  # noqa: BLE001 - code of strangers
                problems.append(f"the plug-in {point.name!r}: {error_words(error)}")
        made = cls(places, released=released)
        made.problems += problems
        return made

    def all(self) -> list[Skill]:
        """Every skill, by place and name."""
        found: list[Skill] = []
        for place, folder in self.folders.items():
            for name in _listed(folder):
                with suppress(PathRefused, SetupError):
                    found.append(read_skill(folder, name, place, self.released))
        return found

    def find(self, name: str) -> tuple[Skill, list[Skill]]:
        """The skill that a name means, and those it hides; raises `ExpectedError` where none or several are.

        A name is never made into a path: it is looked for among the names that there are, letter case and
        blanks around it aside, or as ``place:name``. The folder counts more than the heading.
        """
        every = self.all()
        wanted = _plain(name)
        fitting = [one for one in every if wanted in _names(one)]
        if not fitting:
            raise ExpectedError(_unknown(name, every))
        first = [one for one in fitting if one.place == fitting[0].place]
        by_folder = [one for one in first if _plain(one.folder) == wanted.rpartition(":")[2]]
        first = by_folder or first  # no two have the same folder but for letter case
        if len(first) > 1:
            which = ", ".join(f"{one.place}:{one.folder}" for one in first)
            raise ExpectedError(f"{name!r} is the name of several skills: {which}; say which one.")
        return first[0], fitting[1:]


def _listed(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if not entry.name.startswith(".")]
    except OSError:  # most places have none
        return []
    real = Workspace(folder)
    kept: list[str] = []
    for name in sorted(names)[:_MOST]:
        with suppress(PathRefused, SetupError):
            real.real(name)  # a link that leads out is no skill of this place
            kept.append(name)
    return kept


def _names(skill: Skill) -> set[str]:
    own = {_plain(skill.name), _plain(skill.folder)}
    return own | {f"{_plain(skill.place)}:{one}" for one in own}


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().casefold()


def _unknown(name: str, every: list[Skill]) -> str:
    if not every:
        return (
            f"There is no skill {name!r}, and none at all; a skill is a folder with a SKILL.md in {_PROJECT}."
        )
    names = list(dict.fromkeys(one.name for one in every))
    close = nearest(name, names, 3)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"There is no skill {name!r}; {hint}There are: {', '.join(names[:_NAMED])}{more}."

"""Choosing a language server: the kinds that a deck knows, and which of them are for a file."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

from tooldeck.core.errors import DefinitionError, ExpectedError
from tooldeck.core.vocabulary import nearest
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.tools.folders.listing import below
from tooldeck.tools.language.kinds import KINDS, ServerKind

__all__ = ["Table", "usual_file"]

_MOST_SETTINGS = 1_000_000


class Table:
    """Kinds of servers, those that are tried first at the beginning."""

    def __init__(self) -> None:
        self._kinds: dict[str, ServerKind] = {kind.name: kind for kind in KINDS}

    def __iter__(self) -> Iterator[ServerKind]:
        return iter(tuple(self._kinds.values()))

    def add(self, kind: ServerKind) -> None:
        """Let the deck use one more kind of server, before those it knows, or in place of its namesake."""
        if not isinstance(kind, ServerKind):
            raise DefinitionError(f"A language server is described by a ServerKind, not by {kind!r}.")
        others = {name: one for name, one in self._kinds.items() if name != kind.name}
        self._kinds = {kind.name: kind, **others}

    def knows(self, path: str) -> bool:
        """Whether some kind is for a file, installed or not."""
        return any(kind.language(path) is not None for kind in self._kinds.values())

    def fitting(self, path: str, workspace: Workspace, name: str = "") -> list[ServerKind]:
        """The installed kinds for a file: the one for the language, those beside it, then further ones.

        `name` leaves that one only. Raises `ExpectedError` for a language that none is for, `SetupError`
        where none is installed.
        """
        if name:
            kind = self.named(name)
            kind.find()
            return [kind]
        fitting = [kind for kind in self._kinds.values() if kind.language(path) is not None]
        if not fitting:
            suffix = Path(path).suffix or path
            if suffix == ".ipynb":
                raise ExpectedError(
                    f"Language servers are not asked about notebooks such as {path!r}; the tool code reads "
                    "and changes their cells, and verify checks them."
                )
            raise ExpectedError(
                f"No language server is known for {suffix!r}; lsp status has those that are, and "
                "Languages.of(deck).add(ServerKind(…)) adds one."
            )
        found = [kind for kind in fitting if kind.installed]
        configured = _configured(workspace)
        mains = sorted(
            (kind for kind in found if not kind.beside), key=lambda kind: kind.name not in configured
        )
        if not mains and not found:
            fitting[0].find()
        return [*mains[:1], *(kind for kind in found if kind.beside), *mains[1:]]

    def named(self, name: str) -> ServerKind:
        """The kind of a name; raises `ExpectedError` where there is none."""
        kind = self._kinds.get(name)
        if kind is None:
            close = nearest(name, self._kinds, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(self._kinds)}."
            raise ExpectedError(f"There is no language server {name!r}; {hint}")
        return kind


def _configured(workspace: Workspace) -> Collection[str]:
    """The tools that the project configures: the server that is among them is the one that it means."""
    try:
        stated = tomllib.loads(workspace.read("pyproject.toml", _MOST_SETTINGS).decode())
    except (PathRefused, ValueError, RecursionError):
        return ()
    tools = stated.get("tool")
    return tools if isinstance(tools, dict) else ()


def usual_file(table: Table, workspace: Workspace) -> str:
    """Some file of the language that the workspace has most of; raises `ExpectedError` for none."""
    paths: dict[str, list[str]] = {}
    for entry in below(workspace):
        if entry.is_file and table.knows(entry.path):
            paths.setdefault(Path(entry.path).suffix, []).append(entry.path)
    if not paths:
        raise ExpectedError("The workspace has no file of a language that a server is known for.")
    return max(paths.values(), key=len)[0]

"""The documents that a language server holds, kept as the files on the disk are."""

from __future__ import annotations

import asyncio
import contextlib
import posixpath
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.guards.walking import NoFolder
from tooldeck.tools.folders.listing import below
from tooldeck.tools.language.kinds import ServerKind
from tooldeck.tools.language.positions import Text
from tooldeck.tools.texts.documents import Document, decode

__all__ = ["Documents", "Opened", "path_of", "uri_of"]

MOST_BYTES = 4_000_000
"""Longer files are not given to a server."""
MOST_OPEN = 256
"""Documents that a server holds at a time; those used longest ago are closed."""
MOST_WITH_WORD = 200
"""Files that have a word and are opened before the server is asked where it is used."""
MOST_WATCHED = 20_000
"""Files of the workspace whose changes a server is told of."""
_CREATED, _CHANGED, _DELETED = 1, 2, 3
Stamp = tuple[int, int, int]


@dataclass(slots=True)
class Opened:
    """A file as the server has it."""

    path: str
    """From the root of the workspace on."""
    uri: str
    version: int
    data: bytes
    """The bytes of the file that the server's text comes from."""
    form: Document
    """How text and bytes go together."""
    text: Text
    """The text as the server has it, with the ends that it has in the file."""

    def encode(self, text: str) -> bytes:
        """The bytes of the file with another text."""
        return self.form.bom + text.encode(self.form.encoding)


class Documents:
    """What one server holds. `notify` tells it something."""

    def __init__(
        self, workspace: Workspace, kind: ServerKind, encoding: str, notify: Callable[[str, Any], None]
    ) -> None:
        self._workspace, self._kind, self._encoding = workspace, kind, encoding
        self._notify = notify
        self._open: OrderedDict[str, Opened] = OrderedDict()
        self._seen: dict[str, Stamp] | None = None
        self._versions: dict[str, int] = {}
        self._others = 0

    @property
    def state(self) -> int:
        """Counts the changes of files that the server was told of."""
        return self._others

    def get(self, path: str) -> Opened | None:
        """A document that is open."""
        return self._open.get(path)

    def __contains__(self, path: str) -> bool:
        return path in self._open

    async def refresh(self) -> None:
        """Tell the server of every change on the disk since the last time."""
        now = await asyncio.to_thread(self._look)
        before, self._seen = self._seen, now
        for path in list(self._open):
            try:
                self.open(path)
            except ExpectedError:  # it is gone, or no text any more
                self.close(path)
        if before is None:
            return
        changes = [(path, _DELETED) for path in before.keys() - now.keys()]
        changes += [(path, _CREATED) for path in now.keys() - before.keys()]
        changes += [(path, _CHANGED) for path in now.keys() & before.keys() if now[path] != before[path]]
        if changes:
            self._others += 1
            told = [{"uri": uri_of(self._workspace, path), "type": kind} for path, kind in sorted(changes)]
            self._notify("workspace/didChangeWatchedFiles", {"changes": told})

    def open(self, path: str, text: str | None = None) -> Opened:
        """The document of a file as it is on the disk now, or with another text in its place.

        Raises `ExpectedError` for what is no file, no text, too long, or not of the server's languages.
        """
        language = self._kind.language(path)
        if language is None:
            raise ExpectedError(f"{self._kind.name} is not for {path!r}.")
        data = self._workspace.before(path, MOST_BYTES)
        if data is None:
            raise PathRefused(f"There is no file {path!r} in the workspace.")
        known = self._open.get(path)
        if known is not None:
            self._open.move_to_end(path)
            if text is None and known.data == data and known.text.text == _raw(data, known.form):
                return known
        form = decode(data, path)
        content = _raw(data, form) if text is None else text
        version = self._versions[path] = self._versions.get(path, 0) + 1
        made = Opened(path, uri_of(self._workspace, path), version, data, form, Text(content, self._encoding))
        self._open[path] = made
        about: dict[str, Any] = {"uri": made.uri, "version": version}
        if known is None:
            about |= {"languageId": language, "text": content}
            self._notify("textDocument/didOpen", {"textDocument": about})
            self._close_oldest()
        else:
            changed: dict[str, Any] = {"textDocument": about, "contentChanges": [{"text": content}]}
            self._notify("textDocument/didChange", {**changed, **self._kind.again})
        return made

    async def open_with(self, word: str) -> None:
        """Open the files that have a word, those that are open already included.

        A server that has just been started may not have found all files of the workspace yet, and answers
        all the same; it knows what is open.
        """
        for path in await asyncio.to_thread(self._with, word.encode()):
            with contextlib.suppress(ExpectedError):
                self.open(path)

    def _with(self, word: bytes) -> list[str]:
        found: list[str] = []
        for path in sorted(self._seen or ()):
            if self._kind.language(path) is None or len(found) >= MOST_WITH_WORD:
                continue
            with contextlib.suppress(ExpectedError):
                if word in self._workspace.read(path, MOST_BYTES):
                    found.append(path)
        return found

    def touch(self, path: str) -> Opened:
        """The document anew with the same text, so that the server looks at it once more."""
        known = self._open[path]
        return self.open(path, known.text.text)

    def close(self, path: str) -> None:
        """Let the server forget a document."""
        known = self._open.pop(path, None)
        if known is not None:
            self._notify("textDocument/didClose", {"textDocument": {"uri": known.uri}})

    def _close_oldest(self) -> None:
        while len(self._open) > MOST_OPEN:
            self.close(next(iter(self._open)))

    def _look(self) -> dict[str, Stamp]:
        """The files that concern the server, with what changes when they do."""
        found: dict[str, Stamp] = {}
        for entry in below(self._workspace):
            named = Path(entry.path).name in self._kind.watches
            if entry.is_file and (named or self._kind.language(entry.path)):
                found[entry.path] = (entry.info.st_mtime_ns, entry.info.st_size, entry.info.st_ino)
                if len(found) >= MOST_WATCHED:
                    break
        return found


def uri_of(workspace: Workspace, path: str) -> str:
    """The address of a file of the workspace."""
    return (workspace.root / path).as_uri()


def path_of(workspace: Workspace, uri: Any) -> tuple[str, bool]:
    """The path that an address means, and whether it lies in the workspace; then it is relative to its root.

    Raises ValueError for what is no address of a file.
    """
    parts = urlsplit(uri) if isinstance(uri, str) else None
    if parts is None or parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        raise ValueError(f"{uri!r:.200} is no file")
    path = unquote(parts.path)
    try:
        return workspace.relative(path), True
    except NoFolder:
        inside = posixpath.relpath(posixpath.normpath(path), workspace.root)
        return (path, False) if inside.startswith("..") else (inside, True)
    except PathRefused:
        return path, False


def _raw(data: bytes, form: Document) -> str:
    """The text with the ends that it has in the file."""
    return data[len(form.bom) :].decode(form.encoding)

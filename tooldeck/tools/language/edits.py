"""What a server wants changed, as changes of files: looked through, placed, never outside the workspace."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import FileChange, PathRefused, Workspace, shown_path
from tooldeck.tools.language.documents import MOST_BYTES, Opened, path_of
from tooldeck.tools.language.positions import Text
from tooldeck.tools.texts.documents import NotText, decode

__all__ = ["BadEdit", "changes_of", "check_named", "edited_text", "touched"]

MOST_FILES = 500
"""Files that one edit may change."""
MOST_EDITS = 100_000
"""Places of one file that one edit may change."""
MOST_CHARS = 16_000_000
"""Characters of one file after an edit."""


class BadEdit(ExpectedError):
    """What the server wants changed has no sense, or is not ours to change."""


def touched(workspace: Workspace, edit: Any) -> list[str]:
    """The files whose text an edit changes, by path from the root on. Raises `BadEdit`."""
    return list(dict.fromkeys(path for path, edits in _steps(workspace, edit) if isinstance(edits, list)))


def changes_of(workspace: Workspace, edit: Any, opened: Callable[[str], Opened | None]) -> list[FileChange]:
    """The change of every file; `opened` gives the documents that the server had when it made the edit.

    A text is only changed where the server had the very same one. Raises `BadEdit` and `PathRefused`.
    """
    plan = _Plan(workspace, opened)
    for path, step in _steps(workspace, edit):
        plan.take(path, step)
    return plan.changes()


class _Plan:
    """The files as they become, step by step."""

    def __init__(self, workspace: Workspace, opened: Callable[[str], Opened | None]) -> None:
        self._workspace, self._opened = workspace, opened
        self._before: dict[str, bytes | None] = {}
        self._now: dict[str, bytes | None] = {}
        self._texts: dict[str, Text] = {}
        """What edits of a text go on from, where it was edited or moved before."""
        self._forms: dict[str, Opened] = {}

    def take(self, path: str, step: list[Any] | Mapping[str, Any]) -> None:
        if isinstance(step, list):
            self._edit(path, step)
            return
        kind, options = step["kind"], step.get("options") or {}
        if kind == "rename":
            self._move(path, step, options)
            return
        there = self._content(path) is not None
        if kind == "delete":
            if not there and not options.get("ignoreIfNotExists"):
                raise BadEdit(f"The server wants {shown_path(path)} deleted, and there is no such file.")
            self._now[path] = None
        elif not there or options.get("overwrite"):
            self._now[path] = b""
        elif not options.get("ignoreIfExists"):
            raise BadEdit(f"The server wants {shown_path(path)} made anew, and it is there already.")

    def _move(self, path: str, step: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        target = _inside(self._workspace, step.get("newUri"))
        data = self._content(path)
        if data is None:
            raise BadEdit(f"The server wants {shown_path(path)} moved, and there is no such file.")
        if self._content(target) is not None and not options.get("overwrite"):
            raise BadEdit(
                f"{shown_path(path)} cannot become {shown_path(target)}: there is such a file already."
            )
        self._now[target], self._now[path] = data, None
        if (form := self._forms.get(path) or self._opened(path)) is not None:
            self._forms[target] = form
            self._texts[target] = self._texts.get(path) or form.text

    def _edit(self, path: str, edits: list[Any]) -> None:
        data = self._content(path)
        form = self._forms.get(path) or self._opened(path)
        if data is None:
            raise BadEdit(f"The server wants {shown_path(path)} changed, and there is no such file.")
        text = self._texts.get(path)
        if text is None and form is not None and form.data == data:
            text = form.text
        if text is None and not data:
            text = Text("", form.text.encoding if form is not None else "utf-16")
        if text is None:
            raise BadEdit(f"{shown_path(path)} was changed meanwhile; ask again.")
        end = form.form.end if form is not None else "\n"
        new = edited_text(text, edits, path, end)
        self._texts[path] = Text(new, text.encoding)
        self._now[path] = form.encode(new) if form is not None else new.encode()

    def _content(self, path: str) -> bytes | None:
        if path not in self._now:
            self._before[path] = self._now[path] = self._workspace.before(path, MOST_BYTES)
        return self._now[path]

    def changes(self) -> list[FileChange]:
        pairs = [(path, self._before[path], now) for path, now in self._now.items()]
        return [FileChange(path, before, now) for path, before, now in pairs if before != now]


def edited_text(text: Text, edits: Iterable[Any], path: str, end: str) -> str:
    """A text with edits of the protocol made, all of them placed in the text as it was.

    New lines end with `end`. Raises `BadEdit` where two edits are about the same place.
    """
    placed: list[tuple[int, int, str]] = []
    for edit in edits:
        try:
            start, stop = text.offset(edit["range"]["start"]), text.offset(edit["range"]["end"])
            new = edit["newText"]
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise BadEdit(
                f"The server sent an edit of {shown_path(path)} that is none: {error!r:.200}"
            ) from None
        if not isinstance(new, str) or start > stop:
            raise BadEdit(f"The server sent an edit of {shown_path(path)} that is none: {edit!r:.200}")
        placed.append((start, stop, new.replace("\r\n", "\n").replace("\n", end)))
    if len(placed) > MOST_EDITS:
        raise BadEdit(f"The server sent {len(placed)} edits of {shown_path(path)}, more than {MOST_EDITS}.")
    pieces: list[str] = []
    last = 0
    for start, stop, new in sorted(
        placed, key=lambda one: (one[0], one[1])
    ):  # stable: inserts keep their order
        if start < last:
            raise BadEdit(f"Two edits of {shown_path(path)} are about the same place; nothing was changed.")
        pieces += [text.text[last:start], new]
        last = stop
    pieces.append(text.text[last:])
    if sum(map(len, pieces)) > MOST_CHARS:
        raise BadEdit(f"{shown_path(path)} would become longer than {MOST_CHARS} characters.")
    return "".join(pieces)


def check_named(changes: Iterable[FileChange], name: str) -> None:
    """Raise `BadEdit` where a change that gives something a name changes a line that does not have the name.

    Some servers count characters otherwise than they say, and would put the name into the middle of a word.
    """
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for change in changes:
        before, after = (_lines(data, change.path) for data in (change.before, change.after))
        compared = SequenceMatcher(None, before, after, autojunk=False)
        for kind, _, _, start, stop in compared.get_opcodes():
            made = after[start:stop] if kind == "replace" else []
            wrong = [line for line in made if not word.search(line)]
            if wrong:
                raise BadEdit(
                    f"A line of {shown_path(change.path)} would become {wrong[0].strip()[:200]!r}, where "
                    f"{name!r} does not stand; nothing was changed. Try another server."
                )


def _lines(data: bytes | None, path: str) -> list[str]:
    try:
        return [] if data is None else decode(data, path).lines
    except NotText:
        return []


def _steps(workspace: Workspace, edit: Any) -> list[tuple[str, list[Any] | Mapping[str, Any]]]:
    """Both shapes of an edit as one: a path with edits of its text, or with what becomes of the file."""
    if not isinstance(edit, dict):
        raise BadEdit(f"The server sent an edit that is none: {edit!r:.200}")
    steps: list[tuple[str, list[Any] | Mapping[str, Any]]] = []
    changes = edit.get("documentChanges")
    try:
        if changes is not None:
            for one in changes:
                kind = one.get("kind")
                if kind is None:
                    steps.append((_inside(workspace, one["textDocument"]["uri"]), list(one["edits"])))
                elif kind in {"create", "rename", "delete"}:
                    steps.append((_inside(workspace, one["oldUri" if kind == "rename" else "uri"]), one))
                else:
                    raise BadEdit(f"The server wants {kind!r:.50} of a file, which is not known here.")
        else:
            for uri, edits in (edit.get("changes") or {}).items():
                steps.append((_inside(workspace, uri), list(edits)))
    except (KeyError, TypeError, AttributeError) as error:
        raise BadEdit(f"The server sent an edit that is none: {error!r:.200}") from None
    if len({path for path, _ in steps}) > MOST_FILES:
        raise BadEdit(f"The server wants more than {MOST_FILES} files changed; nothing was.")
    return steps


def _inside(workspace: Workspace, uri: Any) -> str:
    try:
        path, inside = path_of(workspace, uri)
    except ValueError as error:
        raise BadEdit(f"The server wants something changed that is no file: {error}.") from None
    if not inside:
        raise PathRefused(
            f"The server wants {shown_path(path)} changed, outside of the workspace; nothing was changed."
        )
    return path

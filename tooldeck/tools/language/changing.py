"""Changes that servers offer: made of the files as they are, shown before, done to all of them or none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import FileChange, Workspace
from tooldeck.hosts.background import background
from tooldeck.tools.language.asking import (
    ACTIONS,
    FORMAT,
    RENAME,
    edit_changes,
    format_changes,
    rename_changes,
)
from tooldeck.tools.language.diagnosing import diagnostics
from tooldeck.tools.language.pool import Question, Session
from tooldeck.tools.language.positions import Spot
from tooldeck.tools.language.records import CodeAction, Edited, FileEdit
from tooldeck.tools.texts.changes import expected
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import NotText, decode, digest
from tooldeck.tools.texts.snapshots import snapshots_of

__all__ = [
    "PREVIEW_SECONDS",
    "Change",
    "carried_out",
    "chosen_action",
    "layout",
    "looked_at",
    "offered",
    "previewed",
    "rename",
    "resolved_changes",
]

PREVIEW_SECONDS = 60.0
"""How long somebody who is asked waits for the servers to say what would change."""
_COMMAND = "workspace/executeCommand"
_RESOLVE = "codeAction/resolve"


@dataclass(frozen=True, slots=True)
class Change:
    """A change that some server knows how to make."""

    what: str
    """In words."""
    make: Callable[[], Awaitable[tuple[list[FileChange], str]]]
    """Gives the changes of the files as they are now, and the name of the server; writes nothing."""


def rename(question: Question, spot: Spot, new_name: str) -> Change:
    """Something gets another name."""

    async def make() -> tuple[list[FileChange], str]:
        async with question.session(RENAME) as session:
            return await rename_changes(session, spot, new_name), session.server.kind.name

    return Change(f"rename to {new_name!r}", make)


def layout(question: Question) -> Change:
    """A file is laid out as its language does."""

    async def make() -> tuple[list[FileChange], str]:
        async with question.session(FORMAT) as session:
            return await format_changes(session), session.server.kind.name

    return Change("format", make)


def chosen_action(question: Question, lines: tuple[int, int], title: str) -> Change:
    """A code action that is offered for some lines, by its title."""

    async def make() -> tuple[list[FileChange], str]:
        found = await offered(question, lines, "")
        fitting = [(action, raw) for action, raw in found if action.title == title]
        if len(fitting) != 1:
            titles = "; ".join(repr(action.title) for action, _ in found) or "none"
            many = f"{len(fitting)} are called so, so name the server; " if fitting else ""
            raise ExpectedError(f"There is no one code action {title!r}: {many}offered: {titles:.2000}.")
        action, raw = fitting[0]
        if action.disabled:
            raise ExpectedError(f"{title!r} cannot be done: {action.disabled}")
        async with replace(question, server=action.server).session(ACTIONS) as session:
            return await resolved_changes(session, raw), action.server

    return Change(title, make)


async def looked_at(change: Change) -> Edited:
    """What a change would do."""
    changes, server = await change.make()
    return Edited(tuple(map(_file_edit, changes)), False, server, change.what)


def previewed(change: Change) -> str:
    """What a change would do as a diff, for somebody who is asked on another thread."""
    edited = background().submit(looked_at, change).result()
    return edited.diff or f"{change.what}: nothing changes"


async def carried_out(change: Change, workspace: Workspace, hashes: Mapping[str, str] | None) -> Edited:
    """Make a change in all files or in none, where they are still those that it is for.

    `hashes` are those that somebody has seen, by path. Raises `ExpectedError` and `PathRefused`.
    """
    changes, server = await change.make()
    changed = {one.path: one for one in changes}
    for path, hash_ in (hashes or {}).items():
        one = changed.get(workspace.relative(path))
        if one is None:
            raise ExpectedError(f"A hash is given for {path!r}, which is not changed.")
        expected(one.before, path, hash_)
    if changes:
        await asyncio.to_thread(workspace.change_all, lambda: changes)
    for one in changes:
        if one.after is not None:
            snapshots_of(workspace).keep(one.path, one.after)
    return Edited(tuple(map(_file_edit, changes)), True, server, change.what)


async def offered(
    question: Question, lines: tuple[int, int], only: str
) -> list[tuple[CodeAction, dict[str, Any]]]:
    """The code actions of every server for the language, with what they are to their servers."""
    found: list[tuple[CodeAction, dict[str, Any]]] = []
    for running in await question.servers():
        if running.can(ACTIONS):
            async with question.languages.opened(running, question.path, question.seconds) as session:
                found += await _actions(session, *lines, only)
    return [(replace(action, number=number), raw) for number, (action, raw) in enumerate(found, 1)]


async def _actions(
    session: Session, first: int, last: int, only: str
) -> list[tuple[CodeAction, dict[str, Any]]]:
    """What one server offers; `only` is a kind of action."""
    text = session.document.text
    range_ = {
        "start": {"line": first - 1, "character": 0},
        "end": text.position(text.offset({"line": last - 1, "character": 2**31 - 1})),
    }
    context: dict[str, Any] = {"diagnostics": await _raw_diagnostics(session, first, last), "triggerKind": 1}
    if only:
        context["only"] = [only]
    found = await session.ask_about(ACTIONS, range=range_, context=context)
    made: list[tuple[CodeAction, dict[str, Any]]] = []
    for one in found if isinstance(found, list) else ():
        if isinstance(one, dict) and isinstance(one.get("title"), str):
            disabled = one.get("disabled")
            reason = disabled.get("reason") if isinstance(disabled, dict) else ""
            action = CodeAction(
                0, one["title"][:300], str(one.get("kind") or "")[:100], session.server.kind.name,
                one.get("isPreferred") is True, str(reason or "")[:300],
            )  # fmt: skip
            made.append((action, one))
    return made


async def resolved_changes(session: Session, action: dict[str, Any]) -> list[FileChange]:
    """The changes of all files that a code action makes; nothing is written."""
    server = session.server

    async def edit() -> Any:
        whole = action
        if "edit" not in whole and server.options(ACTIONS).get("resolveProvider"):
            resolved = await session.ask(_RESOLVE, whole)
            whole = resolved if isinstance(resolved, dict) else whole
        if "edit" in whole:
            return whole["edit"]
        command = whole.get("command")
        about = command if isinstance(command, dict) else whole
        return await _edit_of_command(session, about)

    return await edit_changes(session, edit)


async def _edit_of_command(session: Session, command: Mapping[str, Any]) -> Any:
    """The edit that the server asks for while it carries out a command of its own."""
    if not isinstance(command.get("command"), str):
        return None
    server = session.server
    server.edits = asked = []
    try:
        given = {"command": command["command"], "arguments": command.get("arguments") or []}
        await session.ask(_COMMAND, given)
    finally:
        server.edits = None
    if len(asked) > 1:
        raise ExpectedError(f"{server.kind.name} wants {len(asked)} separate edits made for this; none was.")
    return asked[0] if asked else None


async def _raw_diagnostics(session: Session, first: int, last: int) -> list[Any]:
    """What the server itself sent about these lines, as it wants it back."""
    return [
        one
        for one in (await diagnostics(session)).raw
        if one["range"]["start"]["line"] < last and one["range"]["end"]["line"] >= first - 1
    ]


def _file_edit(change: FileChange) -> FileEdit:
    status = "A" if change.before is None else "D" if change.after is None else "M"
    diff = unified(_text(change.before, change.path), _text(change.after, change.path), change.path)
    return FileEdit(change.path, status, _digest(change.before), _digest(change.after), diff)


def _digest(data: bytes | None) -> str | None:
    return None if data is None else digest(data)


def _text(data: bytes | None, path: str) -> str | None:
    if data is None:
        return None
    try:
        return decode(data, path).text
    except NotText:
        return f"[{len(data)} bytes]\n"

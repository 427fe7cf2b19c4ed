"""What changed since a checkpoint, as a model and a person read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.core.messages import Message
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.store.checkpoints import Checkpoint, Checkpoints
from tooldeck.tools.checkpoints.files import Difference
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import decode

__all__ = ["as_text", "compared", "stretch"]

_LONG = 2_000
"""Characters of a message that are shown."""


def compared(
    workspace: Workspace,
    table: Checkpoints,
    found: Checkpoint,
    differences: Iterable[Difference],
    *,
    backward: bool = False,
) -> dict[str, Any]:
    """The differences, with a unified diff from then to now, or `backward` from now to then."""
    told: list[dict[str, str]] = []
    pieces: list[str] = []
    for one in differences:
        change = (
            "changed, not kept"
            if one.unkept
            else "added"
            if one.was is None
            else "removed"
            if one.now is None
            else "changed"
        )
        told.append({"path": one.path, "change": change, "by": one.by or "somebody else"})
        if one.unkept:
            continue
        then = (
            None
            if one.was is None
            else _text(_heard(workspace, one, table.content(one.was.digest)), one.path)
        )
        now = None if one.now is None else _text(_heard(workspace, one, _now(workspace, one.path)), one.path)
        old, new = (now, then) if backward else (then, now)
        pieces.append(unified(old, new, one.path))
    return {"since": found.id, "files": told, "diff": "".join(pieces)}


def as_text(told: dict[str, Any]) -> str:
    """What `compared` gives, for reading."""
    lines = [f"{one['path']}: {one['change']} by {one['by']}" for one in told["files"]]
    head = [f"since {told['since']}:", *(lines or ["no file has changed"])]
    if "messages_since" in told:
        head.append(f"messages since: {told['messages_since']}")
    return "\n".join([*head, told["diff"]]).rstrip("\n")


def _heard(workspace: Workspace, one: Difference, data: bytes | None) -> bytes | None:
    """`data`, which the call shows: what it holds of text from elsewhere counts as read."""
    if data is not None and workspace.watcher is not None:
        workspace.watcher.read(one.path, data)
    return data


def _now(workspace: Workspace, path: str) -> bytes | None:
    try:
        return workspace.before(path)
    except PathRefused:
        return None


def _text(data: bytes | None, path: str) -> str:
    """The text of a file, or one line that says what it is instead."""
    if data is None:
        return "(not to be read)\n"
    try:
        return decode(data, path, None).text
    except ExpectedError:
        return f"(no text, {len(data)} bytes)\n"


def stretch(messages: Sequence[Message], start: int, limit: int) -> list[dict[str, Any]]:
    """Some messages in plain words."""
    return [
        {"number": number, "role": message.role, "text": _short(_words(message))}
        for number, message in enumerate(messages[start : start + limit], start)
    ]


def _words(message: Message) -> str:
    calls = [f"{request.name}({request.arguments})" for request in message.requests]
    return "\n".join([message.text, *calls, *(answer.text for answer in message.answers)]).strip()


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]}… [{len(text) - _LONG} characters more]"

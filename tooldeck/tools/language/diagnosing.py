"""What servers complain about: asked for where they answer, else waited for until it is whole."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Any

from tooldeck.tools.language.pool import Question, Session
from tooldeck.tools.language.protocol import SEVERITIES
from tooldeck.tools.language.reading import Reading, marked_text
from tooldeck.tools.language.records import Diagnosed, Diagnostic

__all__ = ["DIAGNOSTICS", "diagnosed", "diagnostics", "together"]

DIAGNOSTICS = "textDocument/publishDiagnostics"
"""Those that a server sends of its own accord; every server may."""
_PULL = "textDocument/diagnostic"
QUIET_SECONDS = 0.4
"""After the last diagnostics of a document nothing may come for so long, for them to be the whole."""
DOUBT_SECONDS = 1.2
"""The same for none at all where there were some or nobody knew: some servers say so before they looked."""
_MOST = 5_000
# Diagnostics of one answer that are read.


async def diagnosed(question: Question, text: str | None = None) -> list[Diagnosed]:
    """What each server for the language says about a file, or about `text` in its place."""
    found: list[Diagnosed] = []
    for running in await question.servers():
        async with question.languages.opened(running, question.path, question.seconds, text) as session:
            found.append(await diagnostics(session))
    return found


def together(several: Sequence[Diagnosed]) -> Diagnosed:
    """What several answers say."""
    pending = tuple(note for one in several for note in one.pending)
    late = {name for name, _ in pending}
    return Diagnosed(
        tuple(item for one in several for item in one.diagnostics),
        tuple(dict.fromkeys(name for one in several for name in one.servers if name not in late)),
        pending,
        tuple(dict.fromkeys(path for one in several for path in one.paths)),
    )


async def diagnostics(session: Session) -> Diagnosed:
    """What the server complains about in the file as it is now; ``pending`` where it is not done in time."""
    server = session.server
    if server.can(_PULL):
        more = {"identifier": identifier} if (identifier := server.options(_PULL).get("identifier")) else {}
        found = await session.ask_about(_PULL, **more)
        items, complete = _listed(found.get("items") if isinstance(found, dict) else None), True
    else:
        items, complete = await _pushed(session)
    read = Reading(session)
    made: list[Diagnostic] = []
    raw: list[Any] = []
    for item in items[:_MOST]:
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            made.append(_diagnostic(read, session, item))
            raw.append(item)
    made.sort(key=lambda one: (one.location.line, one.location.column, one.code))
    name = session.server.kind.name
    pending = () if complete else ((name, session.path),)
    return Diagnosed(tuple(made), (name,) if complete else (), pending, (session.path,), tuple(raw))


async def _pushed(session: Session) -> tuple[list[Any], bool]:
    """What the server sent for this very text, and whether that is the whole of it."""
    server, path = session.server, session.path
    before = server.pushed.get(path)
    clean = before is not None and not before.items
    document = server.documents.touch(path)
    begun = time.monotonic()
    deadline = begun + session.seconds
    while True:
        found = server.pushed.get(path)
        fresh = found is not None and found.at >= begun and found.version in {None, document.version}
        now = time.monotonic()
        patience = QUIET_SECONDS if clean or (found is not None and found.items) else DOUBT_SECONDS
        quiet = found.at + patience if found is not None and fresh else deadline
        if fresh and not server.busy and now >= quiet:
            break
        if now >= deadline or server.over:
            return (found.items if found is not None and fresh else []), False
        server.news.clear()
        wake = deadline if server.busy or not fresh else min(quiet, deadline)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.01, min(wake - now, 0.5))):
                await server.news.wait()
    assert found is not None  # noqa: S101 - fresh
    return found.items, True


def _diagnostic(read: Reading, session: Session, item: Any) -> Diagnostic:
    severity = item.get("severity")
    code = item.get("code")
    return Diagnostic(
        read.location(session.document.uri, item["range"]),
        SEVERITIES.get(severity if type(severity) is int else 1, "error"),
        "" if code is None else str(code)[:100],
        marked_text(item["message"])[:2_000],
        str(item.get("source") or session.server.kind.name)[:100],
    )


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []

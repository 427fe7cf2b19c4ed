"""What was said to models and by them: recorded as it happens, found again by its words."""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tooldeck.core.events import CallEnded, Event, ModelReplied, RunEnded, RunStarted
from tooldeck.core.run import Run
from tooldeck.core.words import index
from tooldeck.store.masking import scrub
from tooldeck.store.protocol import Store
from tooldeck.store.searching import (
    CANDIDATES,
    Hit,
    How,
    matching,
    own_expression,
    snippet,
    terms,
)
from tooldeck.store.sparing import Sparing

__all__ = ["ConversationLog", "Conversations", "Heard", "Said", "Talk", "conversation_of"]

KEPT = 200_000
"""Messages that stay; the oldest beyond them go when a program begins to record."""
LONGEST = 50_000
"""Characters of a message that are kept."""
HALF_LIFE = 30 * 86_400.0
"""Seconds after which what is gained by being recent has halved."""
Role = Literal["user", "assistant", "tool"]
Order = Literal["relevance", "newest", "oldest"]
Syntax = Literal["words", "fts"]
_COLUMNS = "t.id, t.conversation, t.at, t.role, t.tool, t.place, t.text"
_FENCE = re.compile(r"«/?outside [0-9a-f]+[^»\n]*»\n?")
_program = secrets.token_hex(4)


@dataclass(frozen=True, slots=True)
class Said:
    """A message that was recorded."""

    id: int
    conversation: str
    at: float
    """Seconds since 1970."""
    role: str
    """``user``, ``assistant`` or ``tool``."""
    tool: str
    """Which tool, for ``tool``."""
    place: str
    """The notebook, where it is known."""
    text: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that fits a search."""

    said: Said
    score: float
    """Relevance times recency."""
    relevance: float
    """BM25."""
    recency: float
    """From 0.5 for the oldest to 1 for those of now."""
    snippet: str
    """The part that fits, with ``**`` around the words."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation at a glance."""

    conversation: str
    began: float
    ended: float
    count: int
    first: Said
    """Its first message."""


class Conversations:
    """The recorded conversations of a store. Every method raises `StoreError`."""

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._now = now

    def record(
        self,
        conversation: str,
        role: Role,
        text: str,
        *,
        tool: str = "",
        place: str = "",
        at: float | None = None,
    ) -> int:
        """Add a message to a conversation, secrets blacked out; returns its id."""
        shown = scrub(text.encode("utf-8", "replace").decode())
        if len(shown) > LONGEST:
            shown = f"{shown[:LONGEST]}… [{len(shown) - LONGEST} characters more]"
        words, pairs = index(shown)
        return self._store.run(
            "INSERT INTO messages (conversation, at, role, tool, place, text, words, pairs)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (conversation, self._now() if at is None else at, role, tool, place, shown, words, pairs),
        ).row_id

    def forget_oldest(self) -> None:
        """Keep the last `KEPT` messages only."""
        self._store.run("DELETE FROM messages WHERE id <= (SELECT max(id) FROM messages) - ?", (KEPT,))

    def search(
        self,
        query: str,
        *,
        role: str | None = None,
        tool: str | None = None,
        place: str | None = None,
        since: float | None = None,
        until: float | None = None,
        without: str = "",
        order: Order = "relevance",
        n: int = 10,
        syntax: Syntax = "words",
    ) -> tuple[How, list[Heard]]:
        """Messages with the words of a query, and how strictly they fit; not those of the one `without`.

        With ``syntax="fts"`` the query is an expression of FTS5; raises `ExpectedError` for one that is none.
        A query of signs alone, which no index has, is looked for as it stands.
        """
        now = self._now()
        chosen: list[tuple[str, Any]] = [
            ("t.conversation != ?", without),
            ("t.role = ?", role),
            ("t.tool = ?", tool),
            ("t.place = ?", place),
            ("t.at >= ?", since),
            ("t.at <= ?", until),
        ]
        where = " AND ".join(sql for sql, value in chosen if value is not None)
        wanted = terms(query)
        values = [value for _, value in chosen if value is not None]
        if wanted or syntax == "fts":
            own = own_expression(query) if syntax == "fts" else ""
            how, hits = matching(self._store, "messages", wanted, where, values, own=own)
        else:
            how, hits = "all", self._literal(query.strip(), where, values)
        said = {one.id: one for one in self._by_id([hit.row for hit in hits])}
        heard = [
            _heard(said[hit.row], hit.score, now, snippet(said[hit.row].text, wanted))
            for hit in hits
            if hit.row in said
        ]
        if order == "relevance":
            heard.sort(key=lambda one: (one.score, one.said.id), reverse=True)
        else:
            heard.sort(key=lambda one: (one.said.at, one.said.id), reverse=order == "newest")
        return how, heard[:n]

    def _literal(self, text: str, where: str, values: Sequence[Any]) -> list[Hit]:
        """The newest messages that hold a text as it stands."""
        if not text:
            return []
        rows = self._store.run(
            f"SELECT t.id FROM messages t WHERE instr(t.text, ?) AND {where}"  # noqa: S608
            f" ORDER BY t.id DESC LIMIT {CANDIDATES}",
            (text, *values),
        ).rows
        return [Hit(row[0], 1.0) for row in rows]

    def around(self, id: int, window: int) -> list[Said]:
        """A message with up to `window` before and after it in its conversation; empty without it."""
        found = self._by_id([id])
        if not found:
            return []
        before, after = (
            self._store.run(
                f"SELECT {_COLUMNS} FROM messages t WHERE t.conversation = ? AND t.id {side}"  # noqa: S608
                f" ORDER BY t.id {order} LIMIT ?",
                (found[0].conversation, id, window),
            ).rows
            for side, order in (("< ?", "DESC"), ("> ?", "ASC"))
        )
        return [Said(*row) for row in [*reversed(before)]] + found + [Said(*row) for row in after]

    def recent(self, n: int) -> list[Talk]:
        """The last conversations, newest first."""
        rows = self._store.run(
            "SELECT conversation, min(at), max(at), count(*), min(id) FROM messages GROUP BY conversation"
            " ORDER BY max(id) DESC LIMIT ?",
            (n,),
        ).rows
        first = {one.id: one for one in self._by_id([row[4] for row in rows])}
        return [
            Talk(name, began, ended, count, first[id])
            for name, began, ended, count, id in rows  # noqa: A001 - as in the table
            if id in first
        ]

    def _by_id(self, ids: Sequence[int]) -> list[Said]:
        rows = self._store.run(
            f"SELECT {_COLUMNS} FROM messages t WHERE t.id IN (SELECT value FROM json_each(?))",  # noqa: S608
            (json.dumps(ids),),
        ).rows
        return [Said(*row) for row in rows]


def _heard(said: Said, relevance: float, now: float, shown: str) -> Heard:
    recency = 0.5 + 0.5 * 0.5 ** (max(0.0, now - said.at) / HALF_LIFE)
    return Heard(said, relevance * recency, relevance, recency, shown)


def conversation_of(run: Run) -> str:
    """The name under which the conversation of a run is recorded: its session, or one of its own."""
    return run.session_id or f"{os.getpid()}-{_program}-{run.id}"


class ConversationLog:
    """An observer of a deck that records what its models are told and what they say."""

    def __init__(self, store: Store) -> None:
        self._kept = Conversations(store)
        self._write = Sparing("Conversations")
        self._begun = False
        self._last: dict[str, str | None] = {}
        """By run, what the person said last of what is recorded."""

    def observe(self, event: Event) -> None:
        """Write down what is said; never raises."""
        if isinstance(event, RunStarted):
            self._write(self._started, event.run, event.prompt)
        elif isinstance(event, ModelReplied):
            self._write(self._replied, event.run, event.reply.text)
        elif isinstance(event, CallEnded):
            run = event.result.call.caller.run
            if run is not None and run.id in self._last and event.result.call.parent is None:
                said = _FENCE.sub("", event.result.text)
                self._write(self._said, run, "tool", said, event.result.call.name)
        elif isinstance(event, RunEnded):
            self._last.pop(event.result.run.id, None)

    def _started(self, run: Run, prompt: str) -> None:
        self._last[run.id] = prompt
        if not self._begun:
            self._kept.forget_oldest()
            self._begun = True
        self._said(run, "user", prompt)

    def _replied(self, run: Run, text: str) -> None:
        heard = run.last_user_message
        if heard is not None and heard != self._last.get(run.id):  # said while the run went on
            self._last[run.id] = heard
            self._said(run, "user", heard)
        self._said(run, "assistant", text)

    def _said(self, run: Run, role: Role, text: str, tool: str = "") -> None:
        if text.strip():
            self._kept.record(conversation_of(run), role, text, tool=tool, place=_place())


def _place() -> str:
    """The name of the notebook that this program runs for, as Jupyter's server tells it."""
    return Path(os.environ.get("JPY_SESSION_NAME", "")).name

"""``search_conversations``: what was said in earlier conversations of this deck's database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.tool import Tool
from tooldeck.store.conversations import Conversations, Heard, Said, Talk, conversation_of
from tooldeck.tools.declaring import builtin

__all__ = ["search", "search_conversations"]

_SHOWN = 2_000
"""Characters of a message that are shown."""


def search(
    context: Injected[ToolContext],
    query: str = "",
    *,
    around: Annotated[int | None, Field(ge=1)] = None,
    window: Annotated[int, Field(ge=1, le=20)] = 5,
    role: Literal["user", "assistant", "tool"] | None = None,
    tool: str | None = None,
    notebook: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    sort: Literal["relevance", "newest", "oldest"] = "relevance",
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
    syntax: Literal["words", "fts"] = "words",
) -> dict[str, Any]:
    """Look up what was said in earlier conversations, this one left out.

    With a query: the messages that fit, with ids. With `around`: what was said before and after the message
    of that id. With neither: the last conversations.

    Args:
        query: Words in any language; signs mean nothing.
        around: The id of a message.
        window: How many messages before it and after it.
        role: Only what was said by the person, by the model or by tools.
        tool: Only what this tool said.
        notebook: Only what was said in the notebook of this file name.
        since: Only what was said then or later, such as 2026-01-31 or 2026-01-31T14:00.
        until: Only what was said then or before.
        sort: The order.
        limit: How many at most.
        syntax: The query is words, or an expression of FTS5 (AND, OR, NOT, "a phrase", begin*).
    """
    kept = _kept(context)
    if around is not None:
        return _around(kept, around, window)
    if not query.strip():
        talks = kept.recent(limit)
        return {"conversations": [_glance(one) for one in talks]}
    run = context.call.caller.run
    how, found = kept.search(
        query,
        role=role,
        tool=tool,
        place=notebook,
        since=None if since is None else since.timestamp(),
        until=None if until is None else until.timestamp(),
        without="" if run is None else conversation_of(run),
        order=sort,
        n=limit,
        syntax=syntax,
    )
    told = {"count": len(found), "messages": [_hit(one) for one in found]}
    if how == "all" or not found:
        return told
    return {**told, "matched": "the beginnings of words" if how == "beginnings" else "some of the words"}


def _around(kept: Conversations, id: int, window: int) -> dict[str, Any]:
    said = kept.around(id, window)
    if not said:
        raise ExpectedError(f"There is no message {id}; search with a query to get ids.")
    return {"conversation": said[0].conversation, "messages": [_told(one) for one in said]}


def _kept(context: ToolContext) -> Conversations:
    if context.store is None:
        raise SetupError(
            "This deck keeps nothing, so there are no conversations; make it with "
            'Deck(store=".tooldeck/deck.db").'
        )
    return Conversations(context.store)


def _glance(talk: Talk) -> dict[str, Any]:
    began, ended = _time(talk.began), _time(talk.ended)
    return {"began": began, "ended": ended, "messages": talk.count, "first": _told(talk.first)}


def _hit(heard: Heard) -> dict[str, Any]:
    scores = {"score": heard.score, "relevance": heard.relevance, "recency": heard.recency}
    rounded = {name: round(one, 6) for name, one in scores.items()}
    return {**_head(heard.said), "snippet": heard.snippet, **rounded}


def _told(said: Said) -> dict[str, Any]:
    text = said.text if len(said.text) <= _SHOWN else f"{said.text[:_SHOWN]}…"
    return {**_head(said), "text": text}


def _head(said: Said) -> dict[str, Any]:
    named = {"tool": said.tool, "notebook": said.place}
    return {
        "id": said.id,
        "at": _time(said.at),
        "role": said.role,
        **{name: text for name, text in named.items() if text},
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


search_conversations: Tool = builtin(
    name="search_conversations",
    effects="read",
    trust="untrusted",
    examples=(
        {"query": "budget meeting"},
        {"query": "火曜日", "role": "user", "sort": "newest", "since": "2026-01-31T00:00:00"},
        {},
    ),
)(search)
"""The tool."""

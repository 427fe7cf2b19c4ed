"""``memory``: notes that outlive a conversation, in the database of the deck."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.vocabulary import nearest
from tooldeck.store.masking import mask
from tooldeck.store.memories import Memories, Memory

__all__ = ["memory"]

DAY = 86_400.0
_PAGE = 50

memory = ActionTool(
    "memory",
    "Notes that outlive this conversation, by key. Store what will be needed later, search before asking.",
)
"""The tool."""

Key = Annotated[str, Field(description="The name of the note, any text.", min_length=1)]
Space = Annotated[str, Field(description="The namespace that the key belongs to.", min_length=1)]
Tags = Annotated[list[str], Field(description="Words to find notes by.")]


@memory.action(
    effects="write",
    trust="trusted",
    examples=[
        {"key": "favourite editor", "value": "vim"},
        {"key": "会議", "value": {"day": "火曜日"}, "tags": ["calendar"], "ttl_days": 7},
    ],
)
def store(
    context: Injected[ToolContext],
    key: Key,
    value: Annotated[Any, Field(description="What to remember: text or any JSON value.")],
    *,
    namespace: Space = "default",
    tags: Tags = [],  # noqa: B006 - never changed
    ttl_days: Annotated[
        float | None, Field(gt=0, description="Days after which it is forgotten; never, when left out.")
    ] = None,
    if_version: Annotated[
        int | None,
        Field(ge=0, description="Only if this is the version of the note now; 0: only if there is none."),
    ] = None,
) -> dict[str, Any]:
    """Keep a value under a key, in place of an earlier one. Secrets in it are blacked out."""
    table = _table(context)
    masked = mask({key: value})
    if key not in masked.arguments:
        raise ExpectedError("The key has a secret in it, and secrets are not remembered; choose another key.")
    days = None if ttl_days is None else ttl_days * DAY
    kept = table.put(namespace, key, masked.arguments[key], tags=tags, ttl=days, if_version=if_version)
    if kept is None:
        now = table.get(namespace, key)
        have = "there is none" if now is None else f"it has version {now.version}"
        raise ExpectedError(
            f"{key!r} was not stored: it should have version {if_version}, but {have}; recall it first."
        )
    told = {"key": kept.key, "namespace": kept.namespace, "version": kept.version}
    return {**told, "blacked_out": list(masked.paths)} if masked.paths else told


@memory.action(effects="read", trust="untrusted", examples=[{"key": "favourite editor"}])
def recall(context: Injected[ToolContext], key: Key, namespace: Space = "default") -> dict[str, Any]:
    """Give the note of exactly this key, whole; where there is none, the nearest keys."""
    table = _table(context)
    found = table.get(namespace, key)
    if found is not None:
        return {"found": True, **_told(found), "value": found.value}
    keys = [one.key for one in table.page(namespace, n=500)]
    return {"found": False, "nearest": nearest(key, keys)}


@memory.action(
    effects="read",
    trust="untrusted",
    examples=[{"query": "editor"}, {"query": "火曜", "tags": ["calendar"], "limit": 3}],
)
def search(
    context: Injected[ToolContext],
    query: Annotated[str, Field(description="Words to look for, in any language; signs mean nothing.")],
    namespace: Annotated[str | None, Field(description="Only in this namespace.")] = None,
    tags: Annotated[list[str], Field(description="Only notes with all of these tags.")] = [],  # noqa: B006
    limit: Annotated[int, Field(ge=1, le=50, description="How many notes at most.")] = 10,
) -> dict[str, Any]:
    """Find notes by words in their keys, tags and values, best first. `recall` gives one whole."""
    how, found = _table(context).search(query, namespace=namespace, tags=tags, n=limit)
    notes = [{**_told(one.memory), "excerpt": one.snippet} for one in found]
    told: dict[str, Any] = {"count": len(notes), "notes": notes}
    if how != "all" and notes:
        told["matched"] = "the beginnings of words" if how == "beginnings" else "some of the words"
    return told


@memory.action(
    name="list", effects="read", trust="untrusted", examples=[{}, {"namespace": "project", "prefix": "api/"}]
)
def list_(
    context: Injected[ToolContext],
    namespace: Space = "default",
    prefix: Annotated[str, Field(description="Only keys that begin with this.")] = "",
    after: Annotated[str, Field(description="Only keys after this one: `next` of the page before.")] = "",
) -> dict[str, Any]:
    """List the keys of a namespace with sizes (characters) and times, and count all namespaces."""
    table = _table(context)
    rows = table.page(namespace, prefix=prefix, after=after, n=_PAGE + 1)
    told: dict[str, Any] = {
        "namespaces": table.namespaces(),
        "keys": [{**_told(one), "size": len(_text(one.value))} for one in rows[:_PAGE]],
    }
    return {**told, "next": rows[_PAGE - 1].key} if len(rows) > _PAGE else told


@memory.action(effects="write", trust="trusted", examples=[{"key": "favourite editor"}])
def delete(context: Injected[ToolContext], key: Key, namespace: Space = "default") -> dict[str, Any]:
    """Forget a note."""
    return {"deleted": _table(context).delete(namespace, key)}


def _table(context: ToolContext) -> Memories:
    if context.store is None:
        raise SetupError(
            'This deck keeps nothing, so there is no memory; make it with Deck(store=".tooldeck/deck.db").'
        )
    return Memories(context.store)


def _told(note: Memory) -> dict[str, Any]:
    told: dict[str, Any] = {"key": note.key, "namespace": note.namespace}
    if note.tags:
        told["tags"] = list(note.tags)
    told |= {"version": note.version, "created": _time(note.created), "updated": _time(note.updated)}
    return told if note.expires is None else {**told, "expires": _time(note.expires)}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)

"""Conversations as plain JSON, to be kept in a file and read back."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from tooldeck.core.messages import Message, Native, ToolAnswer, ToolRequest
from tooldeck.core.parts import Audio, File, Image, Link, Resource, Table, Text

__all__ = ["from_json", "to_json"]

_KINDS: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (Message, ToolRequest, ToolAnswer, Native, Text, Image, Audio, File, Resource, Link, Table)
}


def to_json(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The messages as JSON values; pictures and files are in them whole. `from_json` reads them back."""
    return [_plain(message) for message in messages]


def from_json(stored: Iterable[Any]) -> tuple[Message, ...]:
    """The messages that `to_json` wrote; raises ValueError for anything else."""
    messages = tuple(_made(one) for one in stored)
    if not all(isinstance(one, Message) for one in messages):
        raise ValueError("This is no stored conversation: it has entries that are no messages.")
    return messages


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        members = {one.name: (getattr(value, one.name), one.default) for one in fields(value)}
        kept = {name: _plain(member) for name, (member, usual) in members.items() if member != usual}
        return {"_": type(value).__name__, **kept}
    if isinstance(value, bytes):
        return {"_": "bytes", "base64": base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        return {"_": "map", "of": {str(key): _plain(member) for key, member in value.items()}}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _made(value: Any) -> Any:
    if isinstance(value, list):
        return [_made(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("_")
    if kind == "bytes":
        return base64.b64decode(value["base64"])
    if kind == "map":
        return {key: _made(member) for key, member in value["of"].items()}
    made = _KINDS.get(str(kind))
    if made is None:
        raise ValueError(f"This is no stored conversation: it has an entry of kind {kind!r}.")
    known = {one.name for one in fields(made)}
    members = {name: _made(member) for name, member in value.items() if name in known}
    try:
        return made(**{name: _settled(made, name, member) for name, member in members.items()})
    except TypeError as error:
        raise ValueError(f"This is no stored conversation: {error}") from None


def _settled(kind: type[Any], name: str, member: Any) -> Any:
    """Lists of records are tuples there; what a provider wrote stays as it is."""
    if not isinstance(member, list) or kind is Native:
        return member
    if kind is Table and name == "rows":
        return tuple(tuple(row) for row in member)
    return tuple(member)

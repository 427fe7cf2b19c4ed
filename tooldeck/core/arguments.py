"""Reading the arguments of a call: a mapping, JSON text as a model sends it, or nothing.

Repairs here only take packaging away (a code fence, an end token, JSON inside a JSON string, a list around
it, the word "null" for a null) and read what is nearly JSON; each is noted. Text that is cut off, keys that
contradict each other and numbers that JSON does not have are refused, never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tooldeck.core.envelopes import out_of_list
from tooldeck.core.loose_json import NoJson, read_json, read_plain
from tooldeck.core.parameters import Note, Problem
from tooldeck.core.sample import sample
from tooldeck.core.strangers import error_words, to_repr

__all__ = ["Read", "merged", "read_arguments"]

MAX_CHARS = 1_000_000
"""Longer argument texts are refused unread."""

_FENCE = re.compile(r"\A\s*```[\w-]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_END_TOKENS = re.compile(r"(?:\s*(?:<\|[\w-]{1,40}\|>|</s>|</?(?:tool_call|function_call)>))+\s*\Z")
"""What chat templates leave behind an answer."""
_TAIL = 200
"""Characters at the end in which such tokens are looked for."""
_NULL_WORDS = ("null", "None")


class Read(NamedTuple):
    """Arguments as a mapping with a note per repair, or the problems that make that impossible."""

    arguments: dict[str, Any]
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_arguments(raw: Mapping[str, Any] | str | None, schema: Mapping[str, Any] | None = None) -> Read:
    """Read what a caller gave. `schema` tells where the words of a text may stand for null. Never raises."""
    if raw is None:
        return Read({})
    try:
        if type(raw) is dict or isinstance(raw, Mapping):
            return _read_mapping(raw)
        if not isinstance(raw, str):
            return _refused("must be a JSON object or a mapping", f"{type(raw).__name__} {to_repr(raw)}"[:60])
    except Exception as error:  # noqa: BLE001 - mappings of strangers may raise anything
        return _refused(f"cannot be read: {error_words(error)}")
    notes: list[Note] = []
    try:
        value = _read_text(raw, notes)
    except NoJson as refusal:
        meant_as_json = "{" in raw or "[" in raw or len(raw) > MAX_CHARS
        return _refused(str(refusal)) if meant_as_json else _no_object("text", raw, schema)
    if value is None:
        return Read({}, tuple(notes))
    if isinstance(value, list) and schema is not None and (meant := out_of_list(value, schema)) is not None:
        value = meant[0]
        notes.append(Note("arguments", meant[1]))
    if not isinstance(value, dict):
        kind = {list: "a list", str: "text", bool: "true or false"}.get(type(value), "a number")
        return _no_object(kind, raw, schema)
    if schema is not None and ("null" in raw or "None" in raw):
        value = _with_nulls(value, schema, notes)
    return Read(value, tuple(notes))


def merged(arguments: Mapping[str, Any] | str | None, more: dict[str, Any]) -> Any:
    """Both together. The raw arguments alone where they are no object, so that the check can say so.

    Raises TypeError when the same argument is in both.
    """
    if arguments is None:
        return more
    if not more:
        return arguments
    given, _, problems = read_arguments(arguments)
    twice = sorted(set(given) & set(more))
    if twice:
        raise TypeError(f"the argument {twice[0]!r} is given twice: in the object and as a keyword")
    return arguments if problems else {**given, **more}


def _read_mapping(raw: Mapping[str, Any]) -> Read:
    for key in raw:
        if not isinstance(key, str):
            return _refused(f"keys must be text, not {to_repr(key)}")
    return Read(dict(raw))


def _no_object(kind: str, raw: str, schema: Mapping[str, Any] | None) -> Read:
    """Say what is wanted, by an example of the tool's own parameters where they are known."""
    example = f" such as {sample(schema)}" if schema is not None else ""
    return _refused(f"must be a JSON object{example}, not {kind}", raw[:60])


def _refused(wanted: str, got: str = "") -> Read:
    return Read({}, (), (Problem("", wanted, got),))


def _read_text(text: str, notes: list[Note]) -> Any:
    plain = read_plain(text)
    if plain is not None:
        return plain
    if len(text) > MAX_CHARS:
        raise NoJson(f"{len(text)} characters of arguments are too many; {MAX_CHARS} are read at most")
    if not text.strip():
        return None
    fenced = _FENCE.match(text)
    if fenced:
        text = fenced[1]
        notes.append(Note("arguments", "took the arguments out of a code fence"))
    tail = max(0, len(text) - _TAIL)
    ended = _END_TOKENS.search(text, tail)
    if ended:
        text = text[: ended.start()]
        notes.append(Note("arguments", f"left out {ended[0].strip()!r} at the end"))
    value = _noted(text, notes)
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _noted(value, notes)
        notes.append(Note("arguments", "the arguments were JSON inside a JSON string"))
    return value


def _noted(text: str, notes: list[Note]) -> Any:
    value, liberties = read_json(text)
    notes += [Note("arguments", liberty) for liberty in liberties]
    return value


def _null_is_default(described: Any) -> bool:
    return isinstance(described, Mapping) and described.get("default", "") is None


def _with_nulls(given: dict[str, Any], schema: Mapping[str, Any], notes: list[Note]) -> dict[str, Any]:
    """Read the words "null" and "None" as null where null is the default, as models mean them there."""
    properties = schema.get("properties", {})
    words = {
        name
        for name, value in given.items()
        if value in _NULL_WORDS and _null_is_default(properties.get(name))
    }
    notes += [Note("arguments", f'{name}: read "{given[name]}" as null') for name in words]
    return {name: None if name in words else value for name, value in given.items()} if words else given

"""The words of tooldeck: statuses, effects, trust, risk and the readers that accept them from people."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, TypeVar

from tooldeck.core.errors import DefinitionError

BRIDGE_NAMES = ("tool_search", "tool_describe", "tool_call")
"""Names of the tools by which a model reaches those that it is not shown; no other tool has one."""

__all__ = [
    "BRIDGE_NAMES",
    "Effect",
    "Risk",
    "Source",
    "Status",
    "Trust",
    "default_risk",
    "nearest",
    "read_effects",
    "read_word",
]

Word = TypeVar("Word", bound=StrEnum)


class Status(StrEnum):
    """How a call ended. One word per stage that can end a call, plus ``ok``."""

    OK = "ok"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"
    BLOCKED = "blocked"
    INVALID = "invalid"
    LOOPING = "looping"
    TRIPPED = "tripped"
    LIMITED = "limited"
    DENIED = "denied"
    TIMEOUT = "timeout"
    FAILED = "failed"


class Effect(StrEnum):
    """What a tool may do to the world. Declared by its author or its user, never guessed."""

    READ = "read"
    """Reads files, state or other local data."""
    WRITE = "write"
    """Changes files or stored state."""
    EXECUTE = "execute"
    """Runs programs or code."""
    NETWORK = "network"
    """Talks to another machine."""
    REPOSITORY = "repository"
    """Changes a version-controlled repository."""
    HUMAN = "human"
    """Asks or tells a person something."""
    MODEL = "model"
    """Calls a language model."""


class Trust(StrEnum):
    """Where an output comes from; decides whether it is fenced for a model."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"


class Risk(StrEnum):
    """How much a call can do; shown to the person who approves it."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Source(StrEnum):
    """Who started a call."""

    PYTHON = "python"
    CELL = "cell"
    FORM = "form"
    MODEL = "model"
    MCP = "mcp"
    """A client of the served deck."""
    APP = "app"
    """The page of an MCP server."""


def nearest(word: object, words: Iterable[str], count: int = 3) -> list[str]:
    """The up to `count` members of `words` closest to `word`, ignoring case and separators."""
    pool: dict[str, str] = {}
    for candidate in list(words):
        pool.setdefault(_folded(candidate), candidate)
    close = difflib.get_close_matches(_folded(str(word)), list(pool), n=count, cutoff=0.6)
    return [pool[key] for key in close]


def _folded(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum())


def read_effects(given: str | Iterable[str] | None) -> frozenset[Effect] | None:
    """Read a declaration of effects: ``None`` is undeclared, ``()`` or ``"none"`` is no effect at all.

    A string may list several, separated by commas or spaces.
    Raises `DefinitionError` naming the unknown word and the nearest known one.
    """
    if given is None:
        return None
    if isinstance(given, str):
        words = given.replace(",", " ").split()
    elif isinstance(given, Iterable):
        words = [str(word) for word in given]
    else:
        raise DefinitionError(f"Effects must be text or a list of words, got {given!r}; known: {_KNOWN}.")
    if [word.casefold() for word in words] == ["none"]:
        return frozenset()
    found: set[Effect] = set()
    for word in words:
        try:
            found.add(Effect(word.casefold()))
        except ValueError:
            close = nearest(word, [effect.value for effect in Effect], 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {_KNOWN}."
            raise DefinitionError(f"Unknown effect {word!r}; {hint}") from None
    return frozenset(found)


_KNOWN = ", ".join([*Effect, "none"])


def read_word(kind: type[Word], given: Any, what: str) -> Word | None:
    """The member of `kind` that a person means, None for None.

    Raises `DefinitionError` with the nearest or all known words; `what` names the thing.
    """
    if given is None:
        return None
    try:
        return kind(str(given).strip().casefold())
    except ValueError:
        known = [word.value for word in kind]
        close = nearest(given, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}."
        raise DefinitionError(f"Unknown {what} {given!r}; {hint}") from None


def default_risk(effects: frozenset[Effect] | None) -> Risk:
    """The risk of a tool that declares none: by its effects, and high when those are undeclared."""
    if effects is None or effects & {Effect.EXECUTE, Effect.REPOSITORY}:
        return Risk.HIGH
    if effects & {Effect.WRITE, Effect.NETWORK, Effect.MODEL}:
        return Risk.MEDIUM
    return Risk.LOW

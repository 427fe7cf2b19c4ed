"""Patterns of rules: names of tools, and arguments in every form in which they may mean the same."""

from __future__ import annotations

import fnmatch
import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from tooldeck.core.call import ToolCall
from tooldeck.core.canonical import canonical_text
from tooldeck.core.vocabulary import Effect
from tooldeck.policy.addresses import ADDRESS, host_of, straight_address
from tooldeck.policy.paths import leads_elsewhere, leads_there, spelled_out

__all__ = ["fits", "matches"]

_MISSING = object()
_SHELL = frozenset(";&|<>`$\n\r")
"""Characters by which one command becomes several."""


def fits(text: str, pattern: str) -> bool:
    """Whether the whole of `text` fits a pattern (``*``, ``?``, ``[…]``), letter by letter."""
    return fnmatch.fnmatchcase(text, pattern)


def matches(call: ToolCall, name: str, wanted: Any, *, every: bool) -> bool:
    """Whether the argument `name` of a call is what a rule wants: in every form and item, or in any.

    An argument that was not given has its default. Where even that is not known it fits an "any" rule and no
    "every" rule, so that leaving an argument out never helps.
    """
    forms = list(_forms(call, name))
    if not forms:
        return not every
    of_several = all if every else any
    return of_several(_is(form, wanted, call, every=every) for form in forms)


def _forms(call: ToolCall, name: str) -> Iterator[Any]:
    """The argument as it was given (or its default), and as the body gets it where that differs."""
    given = call.arguments.get(name, _MISSING)
    if given is _MISSING and call.tool is not None:
        described = call.tool.parameters.get("properties", {}).get(name)
        given = described.get("default", _MISSING) if isinstance(described, dict) else _MISSING
    if given is not _MISSING:
        yield given
    value = call.values.get(name, _MISSING)
    if value is not _MISSING and value is not given:
        plain = _plain(value)
        if canonical_text(plain) != canonical_text(given):
            yield plain


def _plain(value: Any) -> Any:
    """A Python value in the terms of JSON; text for what JSON cannot carry."""
    text = canonical_text(value)
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is(given: Any, wanted: Any, call: ToolCall, *, every: bool) -> bool:
    if not isinstance(wanted, str):
        return canonical_text(given) == canonical_text(wanted)
    if isinstance(given, list | tuple | set | frozenset):
        items = list(given)
        whole = fits(canonical_text(given), wanted)
        if every:
            return whole or (bool(items) and all(_is(item, wanted, call, every=True) for item in items))
        return whole or any(_is(item, wanted, call, every=False) for item in items)
    if not isinstance(given, str):
        return fits(canonical_text(given), wanted)
    if every and (_chains(given, wanted, call) or _other_host(given, wanted)):
        return False
    meant = spelled_out(wanted)
    found = [fits(text, wanted) or fits(text, meant) for text in _spellings(given)]
    if wanted == "*" or "://" in wanted or ADDRESS.match(given):
        return all(found) if every else any(found)
    if every:
        return all(found) and not leads_elsewhere(given, wanted)
    return any(found) or leads_there(given, wanted)


def _spellings(text: str) -> list[str]:
    """A text as given, and as a path or address without detours (``a/../b``), which may lead elsewhere."""
    if "/" not in text:
        return [text]
    if ADDRESS.match(text):
        straight = straight_address(text)
        return [text] if straight == text else [text, straight]
    straight = posixpath.normpath(text)
    if text.startswith("//"):
        straight = f"/{straight.lstrip('/')}"  # POSIX gives two leading slashes a meaning that no system uses
    return [text] if straight == text.rstrip("/") else [text, straight]


def _other_host(text: str, pattern: str) -> bool:
    """Whether an address has another host than the pattern names, though the pattern fits the text.

    ``https://*.example.com/*`` must not cover ``https://other.org/?.example.com/``.
    """
    scheme, mark, rest = pattern.partition("://")
    if not mark or "/" in scheme:
        return False
    host = host_of(text)
    return host is None or not fits(host, re.split(r"[/?#]", rest, maxsplit=1)[0].casefold())


def _chains(text: str, pattern: str, call: ToolCall) -> bool:
    """Whether a command goes on into another one where the pattern does not say so.

    ``allow shell command="git *"`` must not cover ``git status; rm -r .``. Asked only for tools that run
    code, or that do not say what they do.
    """
    effects = None if call.tool is None else call.tool.effects
    runs_code = effects is None or Effect.EXECUTE in effects
    return runs_code and not _SHELL.intersection(text) <= set(pattern)

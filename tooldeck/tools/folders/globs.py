"""Patterns of paths: ``*`` and ``?`` within a name, ``**`` over folders, ``[…]``, and ``{a,b}`` anywhere."""

from __future__ import annotations

import re
from functools import lru_cache

from tooldeck.core.errors import ExpectedError

__all__ = ["BadPattern", "expanded", "glob_pattern"]

MOST_ALTERNATIVES = 1_000
"""Patterns that one with braces may stand for."""


class BadPattern(ExpectedError):
    """A pattern that cannot be read; says why."""


@lru_cache(256)
def glob_pattern(pattern: str) -> re.Pattern[str]:
    """The pattern for whole paths with slashes, relative to where it is looked from.

    Raises `BadPattern`.
    """
    if not pattern or pattern.startswith("/") or ".." in pattern.split("/"):
        raise BadPattern(
            f"The pattern {pattern!r} must be relative and stay below its folder, as in src/**/*.py."
        )
    return re.compile("|".join(map(_whole, expanded(pattern.removeprefix("./")))), re.DOTALL)


def expanded(pattern: str) -> list[str]:
    """The patterns without braces that one with braces stands for; a brace without a comma is itself."""
    made, ready = [pattern], list[str]()
    while made:
        one = made.pop()
        alternatives = _alternatives(one)
        if alternatives is None:
            ready.append(one)
        else:
            made.extend(reversed(alternatives))
        if len(made) + len(ready) > MOST_ALTERNATIVES:
            raise BadPattern(
                f"The pattern {pattern[:80]!r} stands for more than {MOST_ALTERNATIVES} patterns."
            )
    return ready


def _alternatives(pattern: str) -> list[str] | None:
    """What the first group in braces that has a comma stands for; None where there is none."""
    for start, char in enumerate(pattern):
        if char != "{":
            continue
        depth, commas = 0, [start]
        for at in range(start, len(pattern)):
            depth += {"{": 1, "}": -1}.get(pattern[at], 0)
            if pattern[at] == "," and depth == 1:
                commas.append(at)
            if depth == 0:
                if len(commas) == 1:
                    break
                bounds = zip(commas, [*commas[1:], at], strict=True)
                return [pattern[:start] + pattern[a + 1 : b] + pattern[at + 1 :] for a, b in bounds]
    return None


def _whole(pattern: str) -> str:
    names = pattern.split("/")
    made = ""
    for place, name in enumerate(names):
        last = place == len(names) - 1
        if name == "**":
            made += ".*" if last else "(?:[^/]+/)*"
        else:
            made += _name(name) + ("" if last else "/")
    return f"(?:{made})\\Z"


def _name(name: str) -> str:
    made, at = "", 0
    while at < len(name):
        char = name[at]
        at += 1
        if char == "*":
            while name[at : at + 1] == "*":
                at += 1
            made += "[^/]*"
        elif char == "?":
            made += "[^/]"
        elif char == "[" and (stop := name.find("]", at + 1 + (name[at : at + 1] in {"!", "^"}))) > 0:
            made += _class(name[at:stop])
            at = stop + 1
        else:
            made += re.escape(char)
    return made


def _class(inside: str) -> str:
    """A class of characters, read letter by letter, so that nothing in it means more than it says."""
    negated = inside[0] in "!^"
    body = inside[1:] if negated else inside
    parts: list[str] = []
    at = 0
    while at < len(body):
        if body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            if body[at] > body[at + 2]:
                raise BadPattern(f"The pattern has the range [{body[at : at + 3]}], which is empty.")
            parts.append(f"{re.escape(body[at])}-{re.escape(body[at + 2])}")
            at += 3
        else:
            parts.append(re.escape(body[at]))
            at += 1
    return f"[{'^/' if negated else ''}{''.join(parts)}]" if negated else f"(?!/)[{''.join(parts)}]"

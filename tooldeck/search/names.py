"""Names of tools as words: split at case and separators, and squeezed for comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tooldeck.core.words import fold

__all__ = ["named_in", "split_name", "squeezed"]

_EDGES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\W]+")
_OPAQUE = re.compile(r"[\W_]+")
_SPACES = re.compile(r"[\s,;()\[\]{}<>\"'`]+")
_MOST_WORDS = 64
"""Words of a query that may be names."""
_LONGEST = 6
"""Words of which one name may be written."""


def split_name(name: str) -> str:
    """``createIssue`` and ``create-issue`` as ``create issue``; ``HTTPServer`` as ``HTTP Server``."""
    if name.islower() and name.isidentifier():
        return name.replace("_", " ")  # most are so, and need no expression
    return _EDGES.sub(" ", name)


def squeezed(name: str) -> str:
    """The letters and digits of a name, without case: what is the same in all spellings of it."""
    folded = fold(name)
    return folded.replace("_", "") if folded.isidentifier() else _OPAQUE.sub("", folded)


def named_in(query: str) -> Iterator[str]:
    """What in a query may be a name, squeezed, the longest first: its words, and runs of them."""
    words = [word for word in (squeezed(one) for one in _SPACES.split(query[:4_000])) if word][:_MOST_WORDS]
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            yield "".join(words[start : start + length])

"""Which name a server's tool has in the deck.

The rule, in this order:

1. A name that was given before is kept, for as long as the deck lives, unless somebody else has taken it.
2. The server's own name, where nobody in the deck has it.
3. ``server__tool`` with the label of the session.

Characters that tool names may not have become ``_``. A name that is too long, or that would fall together
with another one of the same server, gets a mark made from its full text, so that names never depend on the
order in which tools arrive. ``deck.mcp[label][name]`` finds a tool by the server's own name, whatever it is
called here.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

__all__ = ["deck_names"]

_LONGEST = 64


def deck_names(
    label: str, raw: Iterable[str], is_free: Callable[[str], bool], known: Mapping[str, str]
) -> dict[str, str]:
    """The deck's name of each tool in `raw`, by the server's own name.

    `is_free` tells whether nobody else in the deck has a name; `known` holds the names given before.
    """
    wanted = list(dict.fromkeys(raw))
    clean = _distinct(wanted)
    given: dict[str, str] = {}
    used: set[str] = set()
    for name in wanted:
        qualified = _fitted(f"{label}__{clean[name]}", f"{label}__{name}")
        choices = [choice for choice in (known.get(name), clean[name], qualified) if choice]
        found = next((choice for choice in choices if choice not in used and is_free(choice)), None)
        given[name] = found or _marked(qualified, f"{label}__{name}")
        used.add(given[name])
    return given


def _distinct(names: list[str]) -> dict[str, str]:
    """Permitted names that differ from each other; those that were permitted already stay as they are."""
    plain = {name: _fitted(name, name) for name in names}
    count = Counter(plain.values())
    return {
        name: plain[name] if count[plain[name]] == 1 or plain[name] == name else _marked(plain[name], name)
        for name in names
    }


def _fitted(name: str, full: str) -> str:
    clean = re.sub(r"[^A-Za-z0-9_-]", "_", name) or "_"
    return clean if len(clean) <= _LONGEST else _marked(clean, full)


def _marked(name: str, full: str) -> str:
    digest = hashlib.sha256(full.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: _LONGEST - 9]}_{digest}"

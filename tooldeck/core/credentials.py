"""Credentials in addresses, which nobody needs to see: ``https://name:password@host/`` without them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

__all__ = ["LOGIN", "without_logins"]

LOGIN = r"://(?!git@)[^\s/?#\"<>\\]*@"
"""Where an address carries credentials: all up to the last @ before the path (RFC 3986, 3.2.1).

The name ``git`` alone is none: repositories are reached by it.
"""
_FOUND = re.compile(LOGIN)
_DEEPEST = 50
"""Levels of lists and mappings that are looked into."""


def without_logins(value: Any, depth: int = _DEEPEST) -> Any:
    """`value` with a mask for the credentials of each address in its texts; the same object without any.

    Looks into mappings, lists and tuples.
    """
    if isinstance(value, str):
        return _FOUND.sub("://•••@", value) if "://" in value and "@" in value else value
    if depth and type(value) in {list, tuple}:
        items = cast("list[Any]", value)
        clean = [without_logins(item, depth - 1) for item in items]
        return value if _same(clean, items) else clean
    if depth and isinstance(value, Mapping):
        known = cast("Mapping[Any, Any]", value)
        keys = [without_logins(key, 0) for key in known]
        clean = [without_logins(item, depth - 1) for item in known.values()]
        return (
            value
            if _same(keys, known) and _same(clean, known.values())
            else dict(zip(keys, clean, strict=True))
        )
    return value


def _same(some: Iterable[Any], others: Iterable[Any]) -> bool:
    return all(one is other for one, other in zip(some, others, strict=True))

"""Copies of what a caller can still change, so that what was approved or tried is what runs."""

from __future__ import annotations

from typing import Any

__all__ = ["ATOMS", "owned"]

ATOMS = frozenset({str, int, float, bool, type(None), bytes})
"""Types of values that nobody can change."""


def owned(value: Any) -> Any:
    """`value` with its lists, tuples, dicts and sets copied at every level; all other objects as they are."""
    return _copied(value, {})


def _copied(value: Any, seen: dict[int, Any]) -> Any:
    kind = type(value)
    if kind is dict:
        return _filled(value, seen)
    if kind is set:
        return set(value)
    if kind is not list and kind is not tuple:
        return value
    if id(value) in seen:
        return seen[id(value)]
    if kind is tuple:
        seen[id(value)] = value  # should it lie inside of itself, by a list in it
        seen[id(value)] = made = tuple(_copied(item, seen) for item in value)
        return made
    items: list[Any] = []
    seen[id(value)] = items
    items += [_copied(item, seen) for item in value]
    return items


def _filled(value: dict[Any, Any], seen: dict[int, Any]) -> dict[Any, Any]:
    if id(value) not in seen:
        members: dict[Any, Any] = {}
        seen[id(value)] = members
        members.update((key, _copied(member, seen)) for key, member in value.items())
    return seen[id(value)]

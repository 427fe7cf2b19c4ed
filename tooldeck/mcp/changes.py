"""What differs between two lists of tools, leaf by leaf, so that a person can judge it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from tooldeck.core.canonical import canonical_text
from tooldeck.guards.text import json_text, one_line, visible

__all__ = ["Changes", "compare", "definition_diff", "definition_lines"]

Definitions = Mapping[str, Mapping[str, Any]]
"""The definitions of tools, as their server sent them, by name."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What came, went and changed; names are the server's own."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict[str, str])
    """A unified diff by name."""
    diff: str = ""
    """All of it as one unified diff, with nothing hidden in it; empty where nothing differs."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def __str__(self) -> str:
        words = [
            f"{sign}{name}" for sign, names in (("+", self.added), ("-", self.removed)) for name in names
        ]
        return ", ".join([*words, *(f"~{name}" for name in self.changed)]) or "no difference"


def compare(old: Definitions, new: Definitions) -> Changes:
    """The difference between two lists of tools."""
    diffs = {
        name: definition_diff(name, old.get(name), new.get(name))
        for name in sorted({*old, *new})
        if name not in old or name not in new or canonical_text(old[name]) != canonical_text(new[name])
    }
    return Changes(
        tuple(name for name in new if name not in old),
        tuple(name for name in old if name not in new),
        {name: diff for name, diff in diffs.items() if name in old and name in new},
        "".join(diffs.values()),
    )


def definition_diff(name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> str:
    """The unified diff between two definitions of a tool; None is for one that is not there."""
    before, after = (list(definition_lines(one)) if one is not None else [] for one in (old, new))
    label = one_line(name)
    sides = ("/dev/null" if old is None else label, "/dev/null" if new is None else label)
    lines = difflib.unified_diff(before, after, *sides, lineterm="", n=2)
    return "".join(f"{line}\n" for line in lines)


def definition_lines(definition: Mapping[str, Any]) -> Iterator[str]:
    """A definition as lines of text, one for each leaf with the way to it; nothing in them is hidden."""
    yield from _leaves("", definition)


def _leaves(path: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        members = cast("Mapping[str, Any]", value)
        for key in sorted(members):
            yield from _leaves(f"{path}.{one_line(key)}" if path else one_line(key), members[key])
    elif isinstance(value, list) and value:
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _leaves(f"{path}[{index}]", item)
    elif isinstance(value, str) and "\n" in value:
        yield from (f"{path} | {visible(line)}" for line in value.split("\n"))
    else:
        yield f"{path}: {json_text(value, indent=None)}"

"""What a site's robots.txt allows, after RFC 9309: the longest matching rule decides, allow wins a tie."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from tooldeck.guards.patterns import UnsafePattern, matches

__all__ = ["Robots", "read_robots"]

MOST_BYTES = 500_000
"""Bytes of a robots.txt that are read."""
_MOST_RULES = 2_000


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules for one reader: whether it is allowed, and the path, in the order of the file."""

    rules: tuple[tuple[bool, str], ...] = ()

    def allow(self, url: str) -> bool:
        """Whether an address may be read."""
        parts = urlsplit(url)
        path = _plain(parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if path == "/robots.txt":
            return True
        fitting = [(len(rule), allowed) for allowed, rule in self.rules if _fits(rule, path)]
        return max(fitting, default=(0, True))[1]


def read_robots(text: str, reader: str) -> Robots:
    """The rules of a robots.txt for a reader of this name; those for ``*`` where none is named for it."""
    groups: dict[str, list[tuple[bool, str]]] = {}
    names: list[str] = []
    in_rules = True
    for line in text.lstrip("\ufeff").splitlines():
        word, mark, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        word = word.lower()
        if not mark:
            continue
        if word == "user-agent":
            if in_rules:
                names = []
            in_rules = False
            found = re.match(r"[A-Za-z_-]+|\*", value)
            names.append(found[0].lower() if found else "")
        elif word in {"allow", "disallow"}:
            in_rules = True
            for name in names if value else ():
                groups.setdefault(name, []).append((word == "allow", _plain(value)))
        if word == "user-agent" and names[-1]:
            groups.setdefault(names[-1], [])
    own = groups.get(reader.lower(), groups.get("*", []))
    return Robots(tuple(own[:_MOST_RULES]))


def _fits(rule: str, path: str) -> bool:
    if "*" not in rule and not rule.endswith("$"):
        return path.startswith(rule)
    end = "$" if rule.endswith("$") else ""
    pattern = ".*".join(re.escape(part) for part in rule.removesuffix("$").split("*"))
    try:
        return matches(f"^{pattern}{end}", path)
    except UnsafePattern:
        return False


def _plain(path: str) -> str:
    """A path with each character escaped in the same way."""
    return quote(unquote(path), safe="/*$?=&;:@+,!'()~-._%[]")

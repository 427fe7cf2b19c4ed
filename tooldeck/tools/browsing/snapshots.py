"""What a page shows, as a tree of roles and names with a reference for each element.

The tree is Playwright's. A reference is good for one document, and for an element that still has the role and
the name that were shown: what a page swaps after somebody has read it is not clicked in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Snapshot", "read_snapshot"]

# An element's line: role, name as a JSON string, attributes. A key that YAML quotes is in single quotes.
_LINE = re.compile(
    r"""^\s*-\ (?P<quote>'?)(?P<what>[a-z]+(?:\ "(?:[^"\\]|\\.)*")?)"""
    r"""(?P<marks>(?:\ \[[^\]"]*\])*)(?P=quote):?(?=\s|$)""",
    re.VERBOSE,
)
_REF = re.compile(r" \[ref=((?:f\d+)?e\d+)\]")
_LONGEST_LINE = 4_000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page at one moment."""

    text: str
    """The tree; its references begin with ``d`` and the number of the document."""
    elements: Mapping[str, str] = field(default_factory=dict[str, str])
    """The role and name of the element of each reference."""
    kept: Any = None
    """A handle of the elements, where the page is too large for a tree; see `outlines`."""

    def own(self, ref: str) -> str:
        """A reference as Playwright knows it."""
        return ref.partition("-")[2]


def read_snapshot(tree: str, document: int) -> Snapshot:
    """A tree of Playwright with references that belong to this document, the `document`-th of its tab."""
    elements: dict[str, str] = {}
    lines: list[str] = []
    for line in tree.split("\n"):
        found = _LINE.match(line[:_LONGEST_LINE])
        ref = None if found is None else _REF.search(found["marks"])
        if found is None or ref is None:
            lines.append(line)
            continue
        name = f"d{document}-{ref[1]}"
        what = found["what"].replace("''", "'") if found["quote"] else found["what"]
        elements.setdefault(name, what)
        start = found.start("marks") + ref.start()
        lines.append(f"{line[:start]} [ref={name}]{line[start + len(ref[0]) :]}")
    return Snapshot("\n".join(lines), elements)

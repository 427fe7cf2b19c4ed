"""A cell magic of ours below a comment or a blank line still works: it is lifted to the top of its cell."""

from __future__ import annotations

import re

__all__ = ["lift_cell_magic"]

_OURS = re.compile(r"%%(tool|ask)(\s|$)")


def lift_cell_magic(lines: list[str]) -> list[str]:
    """Move our cell magic before the comments and blank lines that stand above it."""
    for index, line in enumerate(lines):
        if _OURS.match(line):
            return [line, *lines[:index], *lines[index + 1 :]] if index else lines
        if line.strip() and not line.lstrip().startswith("#"):
            return lines
    return lines

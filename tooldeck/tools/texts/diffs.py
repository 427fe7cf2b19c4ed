"""Changes as a unified diff, for a person who approves them and for a model that made them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

__all__ = ["unified"]

MOST_LINES = 20_000
"""Lines of both texts together that are compared; beyond that the change is told in one sentence."""


def unified(before: str | None, after: str | None, path: str, new_path: str = "") -> str:
    """The change of a text as git shows it; None stands for no file. Empty where nothing changes."""
    old, new = _lines(before), _lines(after)
    old_name = "/dev/null" if before is None else f"a/{path}"
    new_name = "/dev/null" if after is None else f"b/{new_path or path}"
    if len(old) + len(new) > MOST_LINES:
        return f"{path}: {len(old)} lines become {len(new)}, too many to compare"
    compared = difflib.unified_diff(old, new, old_name, new_name, lineterm="\n")
    return "".join(_ended(compared))


def _lines(text: str | None) -> list[str]:
    return (
        []
        if text is None
        else [f"{line}\n" for line in text.split("\n")[:-1]]
        + ([text.rpartition("\n")[2]] if not text.endswith("\n") and text else [])
    )


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

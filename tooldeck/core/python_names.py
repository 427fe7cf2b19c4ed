"""What parameters are called in Python when their own names could not be written there."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable

__all__ = ["python_names"]


def python_names(names: Iterable[str]) -> dict[str, str]:
    """For each name the one that Python code uses: itself where it can be, else a similar one of its own."""
    wanted = list(dict.fromkeys(names))
    taken = {name for name in wanted if _is_plain(name)}
    found: dict[str, str] = {}
    for name in wanted:
        if _is_plain(name):
            found[name] = name
            continue
        stem = similar = _similar(name)
        number = 1
        while similar in taken:
            number += 1
            similar = f"{stem}_{number}"
        taken.add(similar)
        found[name] = similar
    return found


def _is_plain(name: str) -> bool:
    """Whether a call can spell the name and Python leaves it as it is."""
    return name.isidentifier() and not keyword.iskeyword(name) and unicodedata.normalize("NFKC", name) == name


def _similar(name: str) -> str:
    text = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name)) or "_"
    if not text.isidentifier():
        text = f"_{text}"
    if not text.isidentifier():  # letters that may stand in no identifier at all
        text = re.sub(r"[^0-9A-Za-z_]", "_", text)
    return f"{text}_" if keyword.iskeyword(text) else text

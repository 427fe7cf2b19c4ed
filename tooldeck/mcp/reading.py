"""What a server means by a text: JSON, a Python literal, or a table with tabs; rows out of any of them."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Any, cast

__all__ = ["meant_by", "rows_in"]

_MOST_LITERAL = 200_000
# Characters of a text that is read as Python, which takes far more memory than its text.


def meant_by(text: str) -> Any:
    """The value that a text stands for. Raises ValueError for a text that is just words."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if text.lstrip()[:1] in ("[", "{", "(") and len(text) <= _MOST_LITERAL:
        try:
            return ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            pass
    table = _table(text)
    if table is None:
        raise ValueError("The text is no JSON, no Python literal and no table with tabs; read it as text.")
    return table


def _table(text: str) -> list[dict[str, str]] | None:
    """The rows of lines with tabs between their cells, the first of which names the columns."""
    lines = [line.split("\t") for line in text.strip("\n").split("\n") if line.strip()]
    if len(lines) < 2 or len(lines[0]) < 2 or {len(line) for line in lines} != {len(lines[0])}:
        return None
    heading = [cell.strip() for cell in lines[0]]
    if len(set(heading)) != len(heading):
        return None
    return [dict(zip(heading, map(str.strip, line), strict=True)) for line in lines[1:]]


def rows_in(value: Any) -> list[dict[str, Any]] | None:
    """The rows of a value: a list of objects, or the only such list among the members of an object."""
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return cast("list[dict[str, Any]]", items) if items and all(_is_row(item) for item in items) else None
    if isinstance(value, Mapping):
        found = [rows for one in cast("Mapping[str, Any]", value).values() if (rows := rows_in(one))]
        return found[0] if len(found) == 1 else None
    return None


def _is_row(item: Any) -> bool:
    return isinstance(item, dict)

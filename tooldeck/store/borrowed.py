"""Whether a text that is written was taken from what an outside tool has said a moment ago."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from tooldeck.core.result import ToolResult

__all__ = ["borrowed_from"]

_LONG = 24
"""Characters of a line that is no coincidence any more."""
_LINES = 400
"""Lines of the text that are looked for, the longest."""
_MOST = 2_000_000
"""Characters of results that are looked through."""
_DEPTH = 12


def borrowed_from(data: bytes, results: Iterable[ToolResult]) -> str:
    """The outside source of the newest result that has a long line of this text in it; empty without one."""
    text = data.decode("utf-8", "replace")
    lines = {line.strip() for line in text.splitlines() if len(line.strip()) >= _LONG}
    wanted = sorted(lines, key=len, reverse=True)[:_LINES] or [text.strip()]
    if len(wanted[0]) < _LONG // 3:
        return ""
    left = _MOST
    for result in reversed(list(results)):
        source = result.call.log.source
        if not source or left <= 0:
            continue
        said = "\n".join(_strings(result.value))[:left]
        left -= len(said)
        if any(line in said for line in wanted):
            return source
    return ""


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts within a value, whatever records and containers they lie in."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif depth < _DEPTH:
        for inner in _members(value):
            yield from _strings(inner, depth + 1)


def _members(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, list | tuple | set | frozenset):
        return value
    names = (
        [one.name for one in fields(value)]
        if is_dataclass(value) and not isinstance(value, type)
        else getattr(type(value), "model_fields", ())
    )
    return [getattr(value, name, None) for name in names]

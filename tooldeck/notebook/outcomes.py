"""What a result holds for a person: what was called, whose words it has, pictures and files, own words."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tooldeck.core.parts import Answer, File, Image
from tooldeck.core.result import ToolResult
from tooldeck.guards.fence import unfenced
from tooldeck.guards.text import one_line, visible

__all__ = ["KeptFile", "called", "from_outside", "kept", "own_words", "pictures", "told", "why_outside"]

_PICTURES = 8
"""Pictures of one result that are shown."""
_PICTURE_BYTES = 3_000_000
"""Bytes of a picture that a notebook is burdened with."""
_FILE_BYTES = 3_000_000
"""Bytes of a file that a card carries, to be saved from it."""


def called(result: ToolResult) -> str:
    """What was called, as one line: the tool, with its action once that is known."""
    tool = result.call.tool
    return one_line(result.call.name if tool is None else tool.label)


def from_outside(result: ToolResult) -> bool:
    """Whether a result is not to be believed: by its tool, or by what it turned out to hold."""
    tool = result.call.tool
    marked = (result.decisions or {}).get("present", "")
    if marked:
        return marked.startswith("fenced")
    return tool is None or tool.from_outside


def why_outside(result: ToolResult) -> str:
    """Where the text of a trusted tool's result comes from, when it is not to be believed; else empty."""
    marked = (result.decisions or {}).get("present", "")
    return marked.partition(", since ")[2]


def pictures(result: ToolResult) -> list[tuple[str, str]]:
    """The pictures of a result that a page can show: media type, data in base64; huge ones are left out."""
    shown: list[tuple[str, str]] = []
    for part in result.parts:
        if isinstance(part, Image) and len(part.data) <= _PICTURE_BYTES and len(shown) < _PICTURES:
            shown += part.mimebundle().items()
    return shown


class KeptFile(NamedTuple):
    """A file that a tool kept for the person."""

    line: str
    """What it is, in words."""
    name: str
    """What it is called when it is saved: no folders, nothing hidden."""
    data: str
    """Its bytes in base64; empty where there are too many for a notebook."""


def kept(result: ToolResult) -> list[KeptFile]:
    """The files that the tool kept for the person."""
    return [_kept(file) for file in result.artifacts]


def _kept(file: File) -> KeptFile:
    data = base64.b64encode(file.data).decode() if len(file.data) <= _FILE_BYTES else ""
    name = visible(re.split(r"[/\\]", file.name)[-1]).strip(". ") or "file"
    return KeptFile(f"kept: {str(file)[1:-1]}", name, data)


def told(given: Any) -> str | None:
    """What a record of a built-in tool says of itself; None for a value that says nothing."""
    own = getattr(type(given), "_tool_answer_", None)
    answer = None if own is None else own(given)
    return answer.text if isinstance(answer, Answer) else None


def own_words(result: ToolResult) -> str | None:
    """What a built-in tool says of its result where that is no mere JSON of the value; else None."""
    said = told(result.value)
    if said is not None or not isinstance(result.value, Mapping):
        return said
    text = unfenced(result.text)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text or None
    return None

"""Estimates how many tokens of a model's context a text costs, without a tokenizer.

Bytes per token differ with what the bytes say: JSON is dense in punctuation, English prose is not. The
divisors are fitted to the o200k vocabulary; an estimate is good to about a tenth, which is what a card needs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from tooldeck.core.tool import Tool

__all__ = ["estimate_tokens", "schema_tokens", "tool_tokens"]

_PROSE = 4.7
_JSON = 2.6
_WIDE = 4.2
"""Bytes of UTF-8 per token for scripts that write a syllable or a word with one character."""

_counted: WeakKeyDictionary[Tool, int] = WeakKeyDictionary()
_WORDS = re.compile(r"\w+\s+\w+\s+\w+")


def estimate_tokens(text: str) -> int:
    """Tokens of prose, about; at least one unless the text is empty."""
    wide = sum(len(char.encode("utf-8", "replace")) for char in text if ord(char) >= 0x2E80)
    rest = len(text.encode("utf-8", "replace")) - wide
    return math.ceil(rest / _PROSE + wide / _WIDE)


def schema_tokens(name: str, description: str, parameters: Mapping[str, Any]) -> int:
    """Tokens that a tool's declaration costs a model, about: name, description and JSON Schema."""
    prose: list[str] = []
    dense = json.dumps(
        _without_prose(parameters, prose), ensure_ascii=False, separators=(",", ":"), default=str
    )
    bytes_of_json = len(name.encode("utf-8", "replace")) + len(dense.encode("utf-8", "replace"))
    return math.ceil(bytes_of_json / _JSON) + sum(
        estimate_tokens(text) for text in (description, *prose) if text
    )


def tool_tokens(tool: Tool) -> int:
    """The same of a tool, counted once."""
    known = _counted.get(tool)
    if known is None:
        known = _counted[tool] = schema_tokens(tool.name, tool.description, tool.parameters)
    return known


def _without_prose(value: Any, prose: list[str]) -> Any:
    """`value` with its sentences moved to `prose`."""
    if isinstance(value, str):
        if not _WORDS.search(value):
            return value
        prose.append(value)
        return ""
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        return {str(key): _without_prose(item, prose) for key, item in members.items()}
    if isinstance(value, list | tuple):
        return [_without_prose(item, prose) for item in cast("list[Any]", value)]
    return value

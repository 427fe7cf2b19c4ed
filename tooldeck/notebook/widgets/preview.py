"""A call as somebody would write it: in Python, as a magic, as JSON."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Mapping
from typing import Any

from tooldeck.core.tool import Tool
from tooldeck.guards.text import json_text, visible

__all__ = ["call_forms", "definition"]

_WIDTH = 72
"""Characters of one line, after which a Python call gets a line for each argument."""


def call_forms(tool: Tool, arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Labels and texts of the call; what cannot be written in a form is left out of it."""
    forms = [("Python", _python(tool.name, arguments))]
    try:
        line = json_text(dict(arguments), indent=None)
    except (TypeError, ValueError, RecursionError):
        return forms
    forms.append(
        ("magic", f"%call {visible(tool.name)} {line}" if arguments else f"%call {visible(tool.name)}")
    )
    forms.append(("JSON", json_text(dict(arguments))))
    return forms


def _python(name: str, arguments: Mapping[str, Any]) -> str:
    """A Python call; a name that Python cannot call is looked up in the deck."""
    given = {key: repr(value) for key, value in arguments.items()}
    plain = name.isidentifier() and not keyword.iskeyword(name)
    call = name if plain else f"deck[{name!r}]"
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in given):
        parts = [f"{key}={value}" for key, value in given.items()]
        line = f"{call}({', '.join(parts)})"
        if len(line) <= _WIDTH or not parts:
            return visible(line)
        body = "".join(f"    {part},\n" for part in parts)
        return visible(f"{call}(\n{body})")
    return visible(f"deck.call({name!r}, {dict(arguments)!r}).unwrap()")


def definition(tool: Tool) -> str:
    """How Python sees the tool: the source of its function where there is one, else its signature."""
    try:
        source = inspect.getsource(tool.function) if tool.function is not None else ""
    except (OSError, TypeError):
        source = ""
    signature = tool.signature if tool.signature is not None else "(**arguments)"
    return visible(source.rstrip() or f"{tool.name}{signature}")

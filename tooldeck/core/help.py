"""What ``tool?`` says of a tool: its description, and a line for each parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tooldeck.core.python_names import python_names

__all__ = ["help_text"]


def help_text(description: str, schema: Mapping[str, Any]) -> str:
    """The description with the parameters of `schema` by their names in Python."""
    listed = schema.get("properties")
    properties = listed if isinstance(listed, Mapping) else {}
    names = python_names(properties)
    lines = [line for name in properties if (line := _line(name, names[name], properties[name]))]
    return "\n".join([description, "", "Parameters:", *lines]).strip() if lines else description


def _line(name: str, python: str, schema: Any) -> str:
    """What there is to say of a parameter besides its place in the signature; empty for nothing."""
    said = schema.get("description") if isinstance(schema, Mapping) else None
    words = " ".join(said.split()) if isinstance(said, str) else ""
    sent = f"(sent as {name!r})" if python != name else ""
    return f"    {python}: {' '.join(filter(None, (words, sent)))}" if words or sent else ""

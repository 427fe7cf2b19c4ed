"""The schema of a tool of several actions: one flat object, or one alternative for each action.

Both are made of the schemas of the actions, which are the source of either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tooldeck.core.errors import DefinitionError

__all__ = ["ACTION", "flat_schema", "needs_text", "union_schema"]

ACTION = "action"
"""The parameter that chooses."""
_BESIDE = ("default", "description")
"""What two parameters may differ in and still want the same value."""

Schema = dict[str, Any]


def flat_schema(tool: str, actions: Mapping[str, Schema], told: Mapping[str, str]) -> Schema:
    """One object with the parameters of all actions, of which only ``action`` is required.

    `actions` has the schemas of the actions and `told` their first sentences. A parameter that several have
    is described once, or with a word for each that describes it otherwise. Raises `DefinitionError` where
    two actions call different types by the same name.
    """
    lines = [f"{name}({needs_text(schema)}): {told[name]}" for name, schema in actions.items()]
    properties: Schema = {ACTION: {"type": "string", "enum": list(actions), "description": "\n".join(lines)}}
    for name in dict.fromkeys(name for schema in actions.values() for name in schema["properties"]):
        if name != ACTION:
            properties[name] = _merged(name, actions)
    flat: Schema = {
        "type": "object", "properties": properties, "required": [ACTION], "additionalProperties": False,
    }  # fmt: skip
    return _with_types(tool, flat, actions)


def union_schema(tool: str, actions: Mapping[str, Schema]) -> Schema:
    """An object that is one of the actions' own; raises like `flat_schema`."""
    chosen = {"type": "string", "enum": list(actions)}
    branches = [
        {key: value for key, value in schema.items() if key not in {"$defs", "type"}}
        for schema in actions.values()
    ]
    union: Schema = {
        "type": "object", "properties": {ACTION: chosen}, "required": [ACTION], "oneOf": branches,
    }  # fmt: skip
    return _with_types(tool, union, actions)


def needs_text(schema: Mapping[str, Any]) -> str:
    """The required parameters of an action, as in a call."""
    return ", ".join(name for name in schema.get("required", ()) if name != ACTION)


def _merged(name: str, actions: Mapping[str, Schema]) -> Schema:
    """One description of a parameter that one or more of the actions have."""
    found = {action: schema["properties"][name] for action, schema in actions.items()
             if name in schema["properties"]}  # fmt: skip
    shapes = {_text(_bare(one)): _bare(one) for one in found.values()}
    merged: Schema = next(iter(shapes.values())) if len(shapes) == 1 else {"anyOf": list(shapes.values())}
    defaults = {_text(one.get("default", _NONE)) for one in found.values()}
    if len(defaults) == 1 and "default" in next(iter(found.values())):
        merged["default"] = next(iter(found.values()))["default"]
    words: dict[str, list[str]] = {}
    for action, one in found.items():
        words.setdefault(one.get("description", ""), []).append(action)
    told = "; ".join(f"{', '.join(of)}: {text}" if text else ", ".join(of) for text, of in words.items())
    return {**merged, "description": f"[{told}]" if list(words) == [""] else told}


_NONE = ["no default"]


def _bare(one: Schema) -> Schema:
    return {key: value for key, value in one.items() if key not in _BESIDE}


def _with_types(tool: str, made: Schema, actions: Mapping[str, Schema]) -> Schema:
    types: Schema = {}
    for schema in actions.values():
        for name, one in schema.get("$defs", {}).items():
            if types.setdefault(name, one) != one:
                raise DefinitionError(
                    f"{tool}: two actions have different types called {name!r}; rename one."
                )
    return {**made, "$defs": types} if types else made


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)

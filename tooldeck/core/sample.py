"""Arguments of a tool as an example, for whoever sent what are none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tooldeck.core.envelopes import resolved
from tooldeck.core.references import Schema

__all__ = ["sample"]


_MOST = 6
"""Parameters that an example has."""
_LONGEST = 40
"""Characters of a value that a schema gives as an example."""
_VALUES: Mapping[Any, Any] = {
    "string": "…",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
}


def sample(schema: Schema) -> str:
    """A JSON object with the required parameters that `schema` describes, or with the first one."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return "{}"
    required = schema.get("required")
    names = [name for name in properties if isinstance(required, list) and name in required]
    names = names[:_MOST] or [next(iter(properties))]
    return json.dumps({name: _value(properties[name], schema) for name in names}, ensure_ascii=False)


def _value(given: Any, root: Schema) -> Any:
    schema = resolved(given, root)
    for described in (given, schema):
        for value in _proposed(described):
            if isinstance(value, str | int | float | bool) and len(str(value)) <= _LONGEST:
                return value
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    least = schema.get("minimum")
    if kind in {"integer", "number"} and isinstance(least, int | float):
        return least
    return _VALUES.get(kind, "…") if isinstance(kind, str) else "…"


def _proposed(described: Any) -> list[Any]:
    """The values that a schema itself proposes."""
    if not isinstance(described, Mapping):
        return []
    listed = [described.get("examples"), described.get("enum")]
    single = [described[key] for key in ("default", "const") if key in described]
    return [*single, *(value for values in listed if isinstance(values, list) for value in values[:1])]

"""The names that an object takes besides those it lists: which, and with what values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tooldeck.core.references import Schema, resolve
from tooldeck.guards.patterns import UnsafePattern, matches
from tooldeck.notebook.forms.text_rules import text_fault

__all__ = ["refusal", "values_schema"]


def values_schema(schema: Schema) -> Mapping[str, Any]:
    """The schema of the values under such names; empty where the schema gives none, or several."""
    patterns, more = schema.get("patternProperties"), schema.get("additionalProperties")
    kinds = list(patterns.values()) if isinstance(patterns, Mapping) else []
    if isinstance(more, Mapping):
        kinds.append(more)
    return kinds[0] if len(kinds) == 1 and isinstance(kinds[0], Mapping) else {}


def refusal(schema: Schema, root: Schema, key: str) -> str:
    """Why `key` cannot be used; empty when it can."""
    if key in (schema.get("properties") or {}):
        return "has a field of its own"
    names = resolve(schema.get("propertyNames"), root)
    if isinstance(names.get("enum"), list) and key not in names["enum"]:
        return f"the key must be one of {', '.join(map(str, names['enum']))}"
    if fault := text_fault(names, key):
        return f"the key {fault}"
    patterns = schema.get("patternProperties")
    if not isinstance(patterns, Mapping) or schema.get("additionalProperties") is not False:
        return ""
    if not any(_fits(pattern, key) for pattern in patterns):
        return f"the key must match {' or '.join(map(str, patterns))}"
    return ""


def _fits(pattern: Any, key: str) -> bool:
    try:
        return matches(str(pattern), key)
    except UnsafePattern:
        return True

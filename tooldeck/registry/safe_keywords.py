"""The JSON Schema keywords that match patterns, for patterns of strangers (`tooldeck.guards.patterns`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tooldeck.guards.patterns import matches

__all__ = ["SAFE_KEYWORDS"]


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError as Misfit

    if validator.is_type(instance, "string") and not matches(pattern, instance):
        yield Misfit(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, given: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, inner in given.items():
        for key, value in instance.items():
            if matches(pattern, key):
                yield from validator.descend(value, inner, path=key, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError as Misfit

    if not validator.is_type(instance, "object"):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [key for key in instance if key not in known and not any(matches(one, key) for one in patterns)]
    if validator.is_type(allowed, "object"):
        for key in extra:
            yield from validator.descend(instance[key], allowed, path=key)
    elif not allowed and extra:
        yield Misfit(f"{', '.join(map(repr, extra))} {'is' if len(extra) == 1 else 'are'} unexpected")


SAFE_KEYWORDS: dict[str, Callable[[Any, Any, Any, Any], Iterator[Any]]] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
}
"""Stand-ins for the keywords of the same names."""

"""The JSON Schema keywords that match patterns, for patterns of strangers.

Python's own engine may need years for forty characters. Rust's, which pydantic brings along, takes time in
proportion to the text, but knows no look-around and no back references. A pattern with those is evaluated in
Python when it is simple and the text is short, else not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

__all__ = ["SAFE_KEYWORDS", "UnsafePattern", "matches"]


class UnsafePattern(ValueError):
    """A pattern that cannot be matched in bounded time, or is none."""


_SHORT = 200
# Characters. Three repetitions in a row take a step for every three of them.
_MOST_REPEATS = 3


def matches(pattern: str, text: str) -> bool:
    """Whether `pattern` occurs in `text`; raises `UnsafePattern` where that cannot be told safely."""
    found = _compiled(pattern)
    if isinstance(found, SchemaValidator):
        try:
            found.validate_python(text)
        except ValidationError:
            return False
        return True
    if found is None or len(text) > _SHORT:
        raise UnsafePattern(pattern)
    return found.search(text) is not None


@lru_cache(256)
def _compiled(pattern: str) -> SchemaValidator | re.Pattern[str] | None:
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        return re.compile(pattern) if _is_simple(pattern) else None


def _is_simple(pattern: str) -> bool:
    """Whether Python reads the pattern, repeats no group in it, and repeats few things at all."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "a", re.sub(r"\\.", "a", pattern, flags=re.DOTALL))
    return not re.search(r"\)[*+{]", bare) and len(re.findall(r"[*+{]", bare)) <= _MOST_REPEATS


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

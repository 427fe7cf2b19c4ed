"""Regular expressions of strangers, matched in bounded time.

Python's own engine may need years for forty characters. Rust's, which pydantic brings along, takes time in
proportion to the text, but knows no look-around and no back references. A pattern with those is evaluated in
Python when it is simple and the text is short, else not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

__all__ = ["UnsafePattern", "linear", "matches", "matches_whole"]


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
    return _in_python(found, pattern, text).search(text) is not None


def matches_whole(pattern: str, text: str) -> bool:
    """Whether all of `text` is what `pattern` describes; raises like `matches`."""
    found = _compiled(pattern)
    if isinstance(found, SchemaValidator):
        return matches(rf"\A(?:{pattern})\z", text)
    return _in_python(found, pattern, text).fullmatch(text) is not None


def linear(pattern: str) -> Callable[[str], bool]:
    """Whether `pattern` occurs, asked of many texts, in time in proportion to each.

    Raises `UnsafePattern` where no engine does that.
    """
    if not isinstance(_compiled(pattern), SchemaValidator):
        raise UnsafePattern(pattern)
    return partial(matches, pattern)


def _in_python(found: re.Pattern[str] | None, pattern: str, text: str) -> re.Pattern[str]:
    if found is None or len(text) > _SHORT:
        raise UnsafePattern(pattern)
    return found


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

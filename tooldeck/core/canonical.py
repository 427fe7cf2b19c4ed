"""One text per value, the same for equal values: the key of grants and of the loop guard."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

from pydantic_core import to_jsonable_python

from tooldeck.core.strangers import stilled

__all__ = ["canonical_text", "exact_text", "unlike_any"]

_fresh = itertools.count(1)


def canonical_text(value: Any, stranger: Callable[[Any], str] = repr) -> str:
    """JSON with sorted keys. What JSON cannot carry appears as `stranger` puts it. Never raises."""
    try:
        calm = stilled(value, stranger)
        plain = to_jsonable_python(calm, fallback=stranger, inf_nan_mode="constants", bytes_mode="base64")
        return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return unlike_any(value)


def exact_text(value: Any) -> str:
    """JSON with sorted keys; whatever is none of JSON's own types equals nothing. Never raises."""
    try:
        plain = _exact(value)
        return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except Exception:  # noqa: BLE001 - as above
        return unlike_any(value)


def _exact(value: Any) -> Any:
    """`value`, with a text that equals nothing for what JSON would write as if it were something else."""
    kind = type(value)
    if kind is dict and all(type(key) is str for key in value):
        return {key: _exact(member) for key, member in value.items()}
    if kind is list:
        return [_exact(item) for item in value]
    return value if kind in _EXACT else unlike_any(value)


_EXACT = (str, int, float, bool, type(None))


def unlike_any(value: Any) -> str:
    """A text for a value that shall equal no other, since its `repr` may hide a difference."""
    return f"<{type(value).__name__} {next(_fresh)}>"

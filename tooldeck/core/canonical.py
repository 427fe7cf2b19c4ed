"""One text per value, the same for equal values: the key of grants and of the loop guard."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import to_jsonable_python

__all__ = ["canonical_text"]


def canonical_text(value: Any) -> str:
    """JSON with sorted keys; what JSON cannot carry appears as its `repr`. Never raises."""
    try:
        plain = to_jsonable_python(value, fallback=repr, inf_nan_mode="strings")
        return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return repr(value)

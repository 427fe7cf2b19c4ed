"""Which failures may pass by themselves: by exception type and status code, never by words in a message."""

from __future__ import annotations

import sys
from typing import Any

from tooldeck.core.errors import TransientError

__all__ = ["is_transient", "retry_after"]

_STATUS = {408, 425, 429, 500, 502, 503, 504}


def is_transient(error: BaseException) -> bool:
    """Whether another attempt may succeed."""
    if isinstance(error, TransientError | ConnectionError | TimeoutError):
        return True
    httpx = sys.modules.get("httpx")  # recognised when the tool uses it, never imported for it
    if httpx is not None and isinstance(error, httpx.TransportError):
        return True
    return _status(error) in _STATUS


def retry_after(error: BaseException) -> float | None:
    """Seconds the other side asked to wait, from `TransientError` or an HTTP Retry-After of seconds."""
    if isinstance(error, TransientError):
        return error.retry_after
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    try:
        return max(0.0, float(headers["retry-after"]))
    except (KeyError, TypeError, ValueError):
        return None


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    code = (
        getattr(response, "status_code", None)
        or getattr(error, "status_code", None)
        or getattr(error, "code", None)
    )
    return code if isinstance(code, int) else None

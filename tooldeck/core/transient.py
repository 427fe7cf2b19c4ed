"""Which failures may pass by themselves: by exception type and status code, never by words in a message."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from tooldeck.core.errors import TransientError

__all__ = ["is_transient", "retry_after"]

_STATUS = {408, 425, 429, 500, 502, 503, 504}


def is_transient(error: BaseException, extra: tuple[type[BaseException], ...] = ()) -> bool:
    """Whether another attempt may succeed; `extra` types are worth one as well. Never raises."""
    kind = type(error)  # asked of its type, since an exception of strangers may raise when asked itself
    if issubclass(kind, (TransientError, ConnectionError, TimeoutError, *extra)):
        return True
    httpx = sys.modules.get("httpx")  # recognised when the tool uses it, never imported for it
    if httpx is not None and issubclass(kind, httpx.TransportError):
        return True
    return _status(error) in _STATUS


def retry_after(error: BaseException) -> float | None:
    """Seconds the other side asked to wait, from `TransientError` or an HTTP Retry-After header.

    None where nothing sensible was asked for; 0 for a date that has passed. Never raises.
    """
    if issubclass(type(error), TransientError):
        return _seconds(_of(error, "retry_after"))
    headers = _of(_of(error, "response"), "headers")
    try:
        if not isinstance(headers, Mapping):
            return None
        asked = next((value for name, value in headers.items() if str(name).lower() == "retry-after"), None)
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return None
    return _seconds(asked) if isinstance(asked, str) else None


def _seconds(asked: Any) -> float | None:
    """A wait that can be waited: no less than 0 and finite."""
    try:
        seconds = float(asked)
    except (TypeError, ValueError, OverflowError):
        return _until(asked) if isinstance(asked, str) else None
    return seconds if 0 <= seconds < math.inf else None


def _until(date: str) -> float | None:
    """Seconds until an HTTP date."""
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _status(error: BaseException) -> int | None:
    """The HTTP status an exception carries, under the names that clients use."""
    response = _of(error, "response")
    for holder, name in (
        (response, "status_code"),
        (response, "status"),
        (error, "status_code"),
        (error, "code"),
    ):
        code = _of(holder, name)
        if issubclass(type(code), int):
            return code
    return None


def _of(holder: Any, name: str) -> Any:
    """An attribute, or None where there is none; a property of strangers may raise anything."""
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001
        return None

"""Which failures may pass by themselves: by exception type and status code, never by words in a message."""

from __future__ import annotations

import math
import re
import sys
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from tooldeck.core.errors import TransientError

__all__ = ["is_transient", "retry_after"]

_DIGITS = re.compile("[0-9]+")
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_DAYS = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}"
_DATE = re.compile(
    f"{_DAY}, [0-9]{{2}} {_MONTH} [0-9]{{4}} {_TIME} GMT"
    f"|{_DAYS}, [0-9]{{2}}-{_MONTH}-[0-9]{{2}} {_TIME} GMT"
    f"|{_DAY} {_MONTH} [0-9 ][0-9] {_TIME} [0-9]{{4}}"
)
"""HTTP-date of RFC 9110, section 5.6.7."""
_STATUS = {408, 425, 429, 500, 502, 503, 504, 529}


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
        given = _of(error, "retry_after")
        return _waitable(given) if isinstance(given, int | float) else None
    headers = _of(_of(error, "response"), "headers")
    try:
        if not isinstance(headers, Mapping):
            return None
        asked = next((value for name, value in headers.items() if str(name).lower() == "retry-after"), None)
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return None
    return _header(asked.strip(" \t")) if isinstance(asked, str) else None


def _header(asked: str) -> float | None:
    """The wait of a Retry-After header as RFC 9110 has it: digits, or a date in one of its three forms."""
    if _DIGITS.fullmatch(asked):
        return _waitable(float(asked))
    if not _DATE.fullmatch(asked):
        return None
    try:
        date = parsedate_to_datetime(asked)
        return max(0.0, date.replace(tzinfo=UTC).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _waitable(seconds: float) -> float | None:
    """A wait that can be waited: no less than 0 and finite."""
    try:
        return float(seconds) if 0 <= seconds < math.inf else None
    except OverflowError:
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

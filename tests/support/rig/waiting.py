"""Waiting in tests: for a condition, with a limit, never for a fixed time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(
    probe: Callable[[], T],
    timeout: float = 5.0,
    *,
    every: float = 0.02,
    message: str | Callable[[], str] = "",
) -> T:
    """Return the first true value of ``probe``; fail after ``timeout`` seconds.

    ``probe`` is asked again ``every`` so many seconds. An AssertionError that it raises counts as "not
    yet", so a probe may assert; the last one is shown when time is up. Any other exception passes through.
    """
    deadline = time.monotonic() + timeout
    complaint: AssertionError | None = None
    value: T | None = None
    while True:
        try:
            value = probe()
            complaint = None
        except AssertionError as error:
            complaint = error
        if complaint is None and value:
            return value
        if time.monotonic() >= deadline:
            break
        time.sleep(every)
    told = message() if callable(message) else message
    seen = f"last complaint: {complaint}" if complaint else f"last value: {value!r}"
    told = told or getattr(probe, "__name__", "condition")
    raise AssertionError(f"not within {timeout:g} s: {told} ({seen})")

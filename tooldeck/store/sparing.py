"""Writing beside the work: a failing database is told of once, left alone for a while, then tried again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from tooldeck.core.errors import StoreError
from tooldeck.core.strangers import error_words

__all__ = ["PAUSE", "Sparing"]

PAUSE = 30.0
"""Seconds for which a failing database is left alone."""
_log = logging.getLogger("tooldeck")


class Sparing:
    """Calls functions that write, and never raises; `what` is recorded by them, in the plural."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._quiet_until = 0.0
        self._missed = 0

    def __call__(self, write: Callable[..., None], *args: Any) -> None:
        """Call `write`, unless the database failed a moment ago."""
        if time.monotonic() < self._quiet_until:
            self._missed += 1
            return
        try:
            write(*args)
        except StoreError as error:
            self._quiet_until = time.monotonic() + PAUSE
            self._missed += 1
            _log.warning("%s %s go on, and are not recorded.", error, self._what)
            return
        except Exception as error:  # noqa: BLE001 - something of strangers raised when it was looked at
            self._missed += 1
            _log.warning("Something of %s could not be recorded: %s", self._what.lower(), error_words(error))
            return
        if self._missed:
            _log.warning("%s are recorded again; %d entries are missing.", self._what, self._missed)
            self._missed = 0

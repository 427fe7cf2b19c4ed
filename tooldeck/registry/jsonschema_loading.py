"""Loads jsonschema without the seconds that one of its format checks takes.

Where JupyterLab is installed, jsonschema finds the package rfc3987_syntax, which builds dozens of grammars
when it is imported: most of two seconds for a check of IRIs that hardly any schema asks for.
"""

from __future__ import annotations

import importlib
import sys
import threading
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["load_jsonschema"]

_SLOW = "rfc3987_syntax"
_lock = threading.Lock()


def load_jsonschema() -> None:
    """Import jsonschema, its check of IRIs put off until it is used.

    Nothing is lost and nothing is changed for others: the check imports the package when it first runs, and
    whoever imports the package gets the package.
    """
    with _lock:
        if "jsonschema" in sys.modules or _SLOW in sys.modules or find_spec(_SLOW) is None:
            return
        sys.modules[_SLOW] = _StandIn(_SLOW)
        try:
            importlib.import_module("jsonschema")
        finally:
            del sys.modules[_SLOW]


class _StandIn(ModuleType):
    """Has the one function that jsonschema takes from the package."""

    @staticmethod
    def is_valid_syntax(*given: Any) -> bool:
        return importlib.import_module(_SLOW).is_valid_syntax(*given)

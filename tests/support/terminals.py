"""Programs on a terminal of their own, typed at as a person would."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect

__all__ = ["ENV", "ROOT", "terminal"]

ROOT = Path(__file__).resolve().parents[2]
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "JPY_"))} | {
    "PYTHONPATH": str(ROOT),
    "TERM": "dumb",
    "NO_COLOR": "1",
}


@contextmanager
def terminal(*arguments: str, timeout: float = 20) -> Iterator[pexpect.spawn]:
    """Run Python with these arguments; what is expected must come within `timeout` seconds."""
    child = pexpect.spawn(
        sys.executable, [*arguments], env=ENV, encoding="utf-8", timeout=timeout, cwd=str(ROOT)
    )
    child.setecho(False)
    try:
        yield child
    finally:
        child.close(force=True)

"""Which cell of a notebook runs, for tools that want to remember it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Cell"]


class Cell(NamedTuple):
    """The running cell; notebooks provide it, ``Injected[Cell | None]`` takes it."""

    number: int
    """The execution count."""

"""Where things of a notebook belong: which cell shows what comes up, which folder keeps what is stored."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from contextvars import ContextVar
from pathlib import Path

from tooldeck.notebook.kernel.jobs import Place, here

__all__ = ["current_place", "store_here", "working_here"]

_PLACE: ContextVar[Place | None] = ContextVar("tooldeck_place", default=None)


@contextlib.contextmanager
def working_here() -> Generator[None]:
    """Whatever comes up within the block, on whichever thread, belongs to the calling thread's cell."""
    token = _PLACE.set(here())
    try:
        yield
    finally:
        _PLACE.reset(token)


def current_place() -> Place | None:
    """The place of the work that goes on in this context, or None when nobody said."""
    return _PLACE.get()


def store_here() -> str | None:
    """Where the deck of a notebook keeps its log: in ``.tooldeck`` beside the notebook.

    The environment variable ``TOOLDECK_STORE`` names another file, ``:memory:``, or ``off`` for nowhere.
    """
    chosen = os.environ.get("TOOLDECK_STORE", "").strip()
    if chosen.casefold() == "off":
        return None
    return chosen or str(Path.cwd() / ".tooldeck" / "deck.db")

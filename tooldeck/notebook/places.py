"""Which cell the work of the present context belongs to, so that what comes up later lands in that cell."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from contextvars import ContextVar

from tooldeck.notebook.kernel.jobs import Place, here

__all__ = ["current_place", "working_here"]

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

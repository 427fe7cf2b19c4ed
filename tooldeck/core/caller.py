"""Who starts the calls of a context: a person, a model, another program; and in which run."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from contextvars import ContextVar
from dataclasses import dataclass

from tooldeck.core.run import Run
from tooldeck.core.vocabulary import Source, read_word

__all__ = ["Caller", "calling", "current_caller"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who starts calls in the present context."""

    source: Source = Source.PYTHON
    run: Run | None = None
    label: str = ""
    """Who exactly, e.g. the model's name; shown in approvals."""


_NOBODY_SPECIAL = Caller()
_CALLER: ContextVar[Caller] = ContextVar("tooldeck_caller", default=_NOBODY_SPECIAL)


def current_caller(otherwise: Caller | None = None) -> Caller:
    """Who starts calls in this context; `otherwise` where nobody said so."""
    caller = _CALLER.get()
    return otherwise if otherwise is not None and caller is _NOBODY_SPECIAL else caller


@contextlib.contextmanager
def calling(
    source: Source | str | None = None, *, run: Run | None = None, label: str | None = None
) -> Generator[Caller]:
    """Within the block, calls are started by this source, in this run; what is not given stays as it is."""
    now = _CALLER.get()
    caller = Caller(
        read_word(Source, source, "source") or now.source,
        now.run if run is None else run,
        now.label if label is None else label,
    )
    token = _CALLER.set(caller)
    if run is not None:
        run.enter(1)
    try:
        yield caller
    finally:
        if run is not None:
            run.enter(-1)
        _CALLER.reset(token)

"""The options of connecting to a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.rate import RateSettings
from tooldeck.core.settings import BreakerSettings
from tooldeck.core.vocabulary import nearest
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.oauth.signin import SignIn
from tooldeck.mcp.session import SessionSettings

__all__ = ["ConnectOptions", "check_options"]


class ConnectOptions(SessionSettings, total=False):
    """What may be said beside the target; the rest are the options of `Session`."""

    label: str | None
    """The name of the connection; by default the telling word of the target."""
    reads: Iterable[str] | str
    """The tools that the user declares to only read, by name or pattern; see `Declarations`."""
    effects: Mapping[str, str | Iterable[str]] | None
    """The effects of other tools, by name or pattern. What is not declared asks before every call."""
    breaker: BreakerSettings | int | None
    """When a failing tool is left alone, or after how many failures in a row. Failures that a tool reports
    count like those of a server that is gone; refused arguments do not."""
    rate: RateSettings | str | None
    """How often all tools together are called, such as ``"10/s"`` or ``"100/min"``; a call over the limit
    waits for its turn, or is refused where that comes too late."""
    rates: Mapping[str, RateSettings | str] | None
    """The same for each tool by itself, by name or pattern; the last one that fits holds."""
    trust: bool
    """Whether the server's own hints that a tool only reads are believed; by default they are not."""
    only: Iterable[str] | str | None
    """The tools that come into the deck, by name or pattern; None for all."""
    without: Iterable[str] | str
    """Those that do not, by name or pattern."""
    unseen: bool
    """Whether a command is asked about before it starts, because the caller has not written it."""


def _of(*kinds: type) -> Callable[[Any], bool]:
    return lambda given: isinstance(given, kinds)


def _texts(given: Any) -> bool:
    return given is None or (
        isinstance(given, Mapping) and all(isinstance(one, str) for one in given.values())
    )


_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "label": (_of(str, type(None)), "a name"),
    "reads": (_of(str, Iterable), "names or patterns"),
    "effects": (_of(Mapping, type(None)), "effects by name or pattern, such as {'send_*': 'write'}"),
    "breaker": (_of(BreakerSettings, int, type(None)), "a number of failures or BreakerSettings"),
    "rates": (_of(Mapping, type(None)), "rates by name or pattern, such as {'search': '1/s'}"),
    "trust": (_of(bool), "True or False"),
    "only": (_of(str, Iterable, type(None)), "names or patterns"),
    "without": (_of(str, Iterable), "names or patterns"),
    "unseen": (_of(bool), "True or False"),
    "mode": (_of(str), "auto, legacy or a version such as 2026-07-28"),
    "env": (_texts, "texts by name"),
    "headers": (_texts, "texts by name"),
    "cwd": (_of(str, os.PathLike, type(None)), "a folder"),
    "handlers": (_of(Handlers, type(None)), "Handlers"),
    "sign_in": (_of(SignIn, type(None)), "a SignIn"),
    "executor": (lambda given: given is None or callable(getattr(given, "submit", None)), "an Executor"),
}
"""What fits each option, and how that is said; the others are read by those who use them."""


def check_options(options: Mapping[str, Any]) -> None:
    """Raise TypeError for an option that does not exist, `DefinitionError` for a value that cannot be meant.

    Values of variables and headers are not quoted, since they may be secrets.
    """
    known = sorted(ConnectOptions.__optional_keys__)
    for name, given in options.items():
        if name not in known:
            close = ["label"] if name == "name" else nearest(name, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}."
            raise TypeError(f"connect() has no option {name!r}; {hint}")
        fits, meant = _RULES.get(name, (_anything, ""))
        if not fits(given):
            got = type(given).__name__ if name in ("env", "headers", "sign_in") else repr(given)
            raise DefinitionError(f"The option {name} must be {meant}, got {got}.")


def _anything(_given: Any) -> bool:
    return True

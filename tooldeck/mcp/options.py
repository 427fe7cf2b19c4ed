"""The options of connecting to a server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tooldeck.core.rate import RateSettings
from tooldeck.core.settings import BreakerSettings
from tooldeck.mcp.session import SessionSettings

__all__ = ["ConnectOptions"]


class ConnectOptions(SessionSettings, total=False):
    """What may be said beside the target; the rest are the options of `Session`."""

    label: str | None
    """The name of the connection; by default the telling word of the target."""
    reads: Iterable[str] | str
    """The tools that the user declares to only read, by name or pattern; see `Declarations`."""
    effects: Mapping[str, str | Iterable[str]] | None
    """The effects of other tools, by name or pattern. What is not declared asks before every call."""
    breaker: BreakerSettings | None
    """When a failing tool is left alone. Failures that a tool reports count like those of a server that is
    gone; refused arguments do not."""
    rate: RateSettings | str | None
    """How often all tools together are called, such as ``"10/s"`` or ``"100/min"``; a call over the limit
    waits for its turn, or is refused where that comes too late."""
    rates: Mapping[str, RateSettings | str] | None
    """The same for each tool by itself, by name or pattern; the last one that fits holds."""
    trust: bool
    """Whether the server's own hints that a tool only reads are believed; by default they are not."""
    only: Iterable[str] | None
    """The tools that come into the deck, by name or pattern; None for all."""
    without: Iterable[str]
    """Those that do not, by name or pattern."""
    unseen: bool
    """Whether a command is asked about before it starts, because the caller has not written it."""

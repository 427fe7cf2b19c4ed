"""What is remembered of a server beyond one session of it: its messages, and the lists of tools it had."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tooldeck.mcp.changes import Changes, compare
from tooldeck.mcp.frames import FrameLog

if TYPE_CHECKING:
    from tooldeck.mcp.session import Session

__all__ = ["Past", "Snapshot"]

_MOST = 20


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A list of tools as a server had it once."""

    at: float
    """When it was read, in seconds of the wall clock."""
    protocol: str
    """The protocol version that was spoken."""
    definitions: Mapping[str, Mapping[str, Any]] = field(repr=False)
    """The definitions of the tools, just as they came, by name."""


class Past:
    """The memory of one server; a connection hands it on to the one that takes its place."""

    def __init__(self) -> None:
        self.log = FrameLog()
        self.snapshots: deque[Snapshot] = deque(maxlen=_MOST)
        """The last lists of tools that differ from the ones before, oldest first."""

    def keep(self, session: Session) -> None:
        """Remember the list of tools of this moment, if it is another one than the last."""
        definitions = {tool.name: tool.definition for tool in session.tools}
        if not self.snapshots or compare(self.snapshots[-1].definitions, definitions):
            self.snapshots.append(Snapshot(time.time(), session.protocol, definitions))

    def changes(self) -> Changes:
        """What the last change of the list was; nothing where it never changed."""
        if len(self.snapshots) < 2:
            return Changes()
        return compare(self.snapshots[-2].definitions, self.snapshots[-1].definitions)

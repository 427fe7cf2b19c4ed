"""What files looked like when their anchors were shown, kept per workspace and within bounds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from weakref import WeakKeyDictionary

from tooldeck.guards.paths import Workspace
from tooldeck.tools.texts.documents import digest

__all__ = ["Snapshots", "snapshots_of"]

MOST_VERSIONS = 16
"""Versions of one file that are kept."""
MOST_BYTES = 32_000_000
"""Bytes of all versions together; the ones used longest ago go first."""


class Snapshots:
    """Earlier contents of files by path and hash. Safe from any thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, path: str, data: bytes) -> str:
        """Remember a state of a file; returns its hash."""
        hash_ = digest(data)
        with self._lock:
            self._kept[path, hash_] = data
            self._kept.move_to_end((path, hash_))
            versions = [key for key in self._kept if key[0] == path]
            for key in versions[:-MOST_VERSIONS]:
                del self._kept[key]
            while sum(map(len, self._kept.values())) > MOST_BYTES and len(self._kept) > 1:
                self._kept.popitem(last=False)
        return hash_

    def find(self, path: str, hash_: str) -> bytes | None:
        """The state with this hash, or None when it is not kept any more."""
        with self._lock:
            return self._kept.get((path, hash_))


_ALL: WeakKeyDictionary[Workspace, Snapshots] = WeakKeyDictionary()


def snapshots_of(workspace: Workspace) -> Snapshots:
    """The snapshots of a workspace, for as long as it lives."""
    return _ALL.setdefault(workspace, Snapshots())

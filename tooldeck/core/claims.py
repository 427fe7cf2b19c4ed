"""What the calls of one batch use at this moment: a call whose resources are taken waits until they are free.

The plan of a batch is made of the arguments as they came. A hook, a check or a person may change them after
that, so what a call really uses is claimed once its arguments are final. All of it is claimed at once, which
is why no two calls can wait for each other.
"""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import Future, InvalidStateError

__all__ = ["Claim", "Claims"]


class Claim:
    """What one call wants to use; None stands for what cannot be told, and clashes with everything."""

    def __init__(self, keys: frozenset[str] | None) -> None:
        self.keys = keys
        self.free: Future[None] = Future()
        """Done once nobody else uses any of it."""

    def clashes(self, other: Claim) -> bool:
        """Whether the two must not be used at the same time."""
        if self.keys is None or other.keys is None:
            return True
        return not self.keys.isdisjoint(other.keys)


class Claims:
    """The claims of the calls under way, in the order in which they were made."""

    def __init__(self) -> None:
        self._all: list[Claim] = []
        self._lock = threading.Lock()

    def make(self, keys: frozenset[str] | None) -> Claim:
        """Claim `keys`; see `Claim.free` for when they may be used. To be given back by `release`."""
        claim = Claim(keys)
        with self._lock:
            self._all.append(claim)
            self._tell()
        return claim

    def release(self, claim: Claim) -> None:
        """Give back what was claimed, used or not."""
        with self._lock:
            self._all.remove(claim)
            self._tell()

    def _tell(self) -> None:
        """Tell those before whom no other wants the same."""
        for place, claim in enumerate(self._all):
            if not claim.free.done() and not any(map(claim.clashes, self._all[:place])):
                with contextlib.suppress(InvalidStateError):  # its call is being cancelled
                    claim.free.set_result(None)

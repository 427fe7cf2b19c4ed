"""The stderr of a server: a file of its own, of which only the end is kept.

Not our own stderr: in a kernel that has no file descriptor, and nobody would see what is written there.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
import threading

__all__ = ["StderrFile"]

_KEPT = 4 * 1024 * 1024
# Bytes of a chatty server's stderr on disk, before the file is cut back.
_TAIL = 16 * 1024
_LOOK = 0.25
_LOOK_SOON = 0.02
# Seconds between looks at the size, and while there is a flood: half a gigabyte comes within a second.


class StderrFile:
    """Give `file` to the process; read `lines` at any time, also after `close`."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile("ab+", buffering=0)  # noqa: SIM115 - closed with the server
        _append_only(self.file.fileno())
        self._tail = b""
        self._lock = threading.Lock()
        # A card may read while the session thread gives the file back.

    def lines(self, count: int) -> list[str]:
        """The last lines that are not blank."""
        with self._lock:
            tail = self._read_tail()
        lines = [line.rstrip() for line in tail.decode(errors="replace").splitlines()]
        return [line for line in lines if line][-count:]

    async def keep_short(self) -> None:
        """Cut the file back whenever it is too long, until cancelled."""
        with contextlib.suppress(OSError, ValueError):  # closed meanwhile
            while not self.file.closed:
                flooded = self._size() > _KEPT
                if flooded:
                    with self._lock:
                        self._tail = self._read_tail()
                        self.file.truncate(0)
                await asyncio.sleep(_LOOK_SOON if flooded else _LOOK)

    def close(self) -> None:
        """Keep the end and give the file back."""
        with self._lock:
            self._tail = self._read_tail()
            self.file.close()

    def _size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    def _read_tail(self) -> bytes:
        if self.file.closed or not self._size():
            return self._tail
        self.file.seek(max(0, self._size() - _TAIL))
        return self.file.read(_TAIL) or self._tail


def _append_only(descriptor: int) -> None:
    """Make every write go to the end of the file, so that a cut file does not go on where it was before."""
    if sys.platform != "win32":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)

"""The output of a program, of which the beginning and the end are kept, in bounded memory."""

from __future__ import annotations

__all__ = ["Kept"]

_HEAD = 0.4
"""The share of what is kept that is the beginning; errors stand at the end."""


class Kept:
    """Bytes added piece by piece; at most `most` of them are held."""

    def __init__(self, most: int) -> None:
        self.total = 0
        """All bytes that came."""
        self._head_most = int(most * _HEAD)
        self._tail_most = most - self._head_most
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, piece: bytes) -> None:
        """Take in more."""
        self.total += len(piece)
        room = self._head_most - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        self._tail += piece
        if len(self._tail) > 2 * self._tail_most:
            del self._tail[: -self._tail_most]

    @property
    def left_out(self) -> int:
        """How many bytes are missing in the middle."""
        return self.total - len(self._head) - min(len(self._tail), self._tail_most)

    @property
    def data(self) -> bytes:
        """Everything, where nothing is left out; else beginning and end without a mark."""
        return bytes(self._head + self._tail[-self._tail_most :])

    @property
    def text(self) -> str:
        """As text, broken characters replaced; what is left out is said in a line of its own."""
        if not self.left_out:
            return self.data.decode(errors="replace")
        head = self._head.decode(errors="replace")
        tail = self._tail[-self._tail_most :].decode(errors="replace")
        return f"{head}\n[… {self.left_out} bytes left out …]\n{tail}"

    def __bool__(self) -> bool:
        return self.total > 0

    def __repr__(self) -> str:
        return f"<Kept {self.total} bytes, {self.left_out} left out>"

"""Accepting what a server says of its tools, when it is new or another than before."""

from __future__ import annotations

from collections.abc import Iterable

from tooldeck.hosts.blocking import step
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.pins import Standing
from tooldeck.mcp.probing import Probing
from tooldeck.mcp.trust import Trust
from tooldeck.mcp.ways import Way

__all__ = ["Accepting"]


class Accepting(Probing):
    """The methods of `Connections` that put changed definitions before the person."""

    trust: Trust

    def approve(self, label: str, *names: str) -> bool:
        """Ask the person to accept the tools of a server that are new or changed: all, or those of `names`.

        The question shows the whole difference. Gives whether everything of it is accepted now.
        """
        return step(self._approve(self[label], self._blocking, names))

    async def aapprove(self, label: str, *names: str) -> bool:
        """The same as `approve`, to be awaited."""
        return await self._approve(self[label], self._awaited, names)

    def forget(self, label: str) -> None:
        """Take back what was accepted of a server, its command included.

        What it says of its tools when it is connected the next time counts as its first word.
        """
        self.trust.forget(self[label])

    async def _review(self, made: Connection, way: Way) -> Connection:
        """After connecting, ask about what has changed since it was accepted; what is new can wait."""
        changed = [name for name, standing in made.held.items() if standing is Standing.CHANGED]
        if changed:
            await self._approve(made, way, changed)
        return made

    async def _approve(self, made: Connection, way: Way, names: Iterable[str]) -> bool:
        waiting = self.trust.waiting(made, names)
        if waiting:
            await way.ask(self.trust.question_to_accept(made, waiting, lambda: self._changed(made)))
        return not self.trust.waiting(made, names)

    def _changed(self, connection: Connection) -> None:
        """The server has another list of tools now, or more of it is accepted."""
        raise NotImplementedError

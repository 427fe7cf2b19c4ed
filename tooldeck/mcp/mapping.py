"""The connections of a deck as a mapping from label to connection."""

from __future__ import annotations

from collections.abc import Iterator

from tooldeck.core.vocabulary import nearest
from tooldeck.mcp.connection import Connection

__all__ = ["ConnectionMap"]


class ConnectionMap:
    """Finds connections by their labels; whoever makes and closes them is `Connections`."""

    def __init__(self) -> None:
        self._all: dict[str, Connection] = {}

    def __getitem__(self, label: str) -> Connection:
        try:
            return self._all[label]
        except KeyError:
            close = nearest(label, self._all, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"connected: {', '.join(self._all) or 'none'}."
            raise KeyError(f"There is no MCP server {label!r}; {hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._all))

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, label: object) -> bool:
        return label in self._all

    def values(self) -> list[Connection]:
        """The connections, in the order in which they came."""
        return list(self._all.values())

    def others_tools(self, label: str) -> dict[str, str]:
        """The tools of all servers but the one of a label, by the servers' own names, and whose each is."""
        return {
            tool.name: made.label
            for made in self.values()
            if made.label != label
            for tool in made.session.tools
        }

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._all)

    def __repr__(self) -> str:
        shown = ", ".join(f"{one.label} ({one.state})" for one in self._all.values())
        return f"<MCP servers: {shown or 'none'}>"

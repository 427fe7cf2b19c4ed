"""The tools that one line has added, shown by their names: the cards of twenty would hide the notebook."""

from __future__ import annotations

from tooldeck.core.tool import Tool

__all__ = ["AddedTools"]


class AddedTools(tuple[Tool, ...]):
    """A tuple of tools; a notebook shows it as ``%tools`` would."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<added: {', '.join(tool.name for tool in self) or 'no tools'}>"

"""The magics, one file for each family; `MAGICS` is the list of what a notebook can do."""

from __future__ import annotations

from tooldeck.notebook.magics.asks import AskMagics
from tooldeck.notebook.magics.calls import CallMagics
from tooldeck.notebook.magics.decks import DeckMagics
from tooldeck.notebook.magics.policies import PolicyMagics
from tooldeck.notebook.magics.servers import ServerMagics
from tooldeck.notebook.magics.tools import ToolMagics

__all__ = ["MAGICS"]

MAGICS = (ToolMagics, CallMagics, AskMagics, DeckMagics, PolicyMagics, ServerMagics)

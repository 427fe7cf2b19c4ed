"""What a model has to be told once about the tools of a deck, beside their declarations."""

from __future__ import annotations

from collections.abc import Iterable

from tooldeck.core.tool import Tool
from tooldeck.guards.fence import FENCE_RULE

__all__ = ["system_prompt"]


def system_prompt(tools: Iterable[Tool]) -> str:
    """The sentences for a system prompt that `tools` need; empty when they need none."""
    return FENCE_RULE if any(tool.from_outside for tool in tools) else ""

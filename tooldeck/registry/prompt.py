"""What a model has to be told once about the tools of a deck, beside their declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tooldeck.core.approval import Provenance
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Trust
from tooldeck.guards.fence import FENCE_RULE

__all__ = ["system_prompt"]


def system_prompt(tools: Iterable[Tool], trust_of: Callable[[Tool], Provenance]) -> str:
    """The sentences for a system prompt that `tools` need; empty when they need none."""
    return FENCE_RULE if any(trust_of(tool).trust is Trust.UNTRUSTED for tool in tools) else ""

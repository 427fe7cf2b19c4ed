"""When a model is shown few tools and finds the others by a search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from tooldeck.core.errors import DefinitionError
from tooldeck.core.strangers import to_repr
from tooldeck.core.tokens import tool_tokens
from tooldeck.core.tool import Tool

__all__ = ["CONTEXT", "ToolSearch", "deferred", "read_tool_search"]

CONTEXT = 128_000
"""Tokens that a model reads at once, where neither it nor the settings say how many."""
When = Literal["auto", "on", "off"]


@dataclass(frozen=True, slots=True)
class ToolSearch:
    """Which tools a model is shown at once; the others it finds with ``tool_search``."""

    when: When = "auto"
    """``"auto"``: where the declarations of the tools that can be left out would take more than `share` of
    the model's context. ``"on"``: always. ``"off"``: never."""
    share: float = 0.1
    """The part of the context, above 0 and below 1."""
    context: int | None = None
    """Tokens of context that are counted with; None: what the model says, else 128,000."""
    core: Iterable[str] = ()
    """Names, or patterns such as ``git__*``, of tools that are always shown. Built-in tools always are."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if self.when not in ("auto", "on", "off"):
            raise DefinitionError(f"tool_search must be 'auto', 'on' or 'off', got {to_repr(self.when)}.")
        if type(self.share) not in (int, float) or not 0 < self.share < 1:
            raise DefinitionError(f"share must be a number between 0 and 1, got {self.share!r}.")
        if self.context is not None and (type(self.context) is not int or self.context < 1):
            raise DefinitionError(f"context must be a number of tokens or None, got {self.context!r}.")
        core = (self.core,) if isinstance(self.core, str) else tuple(self.core)
        if not all(isinstance(one, str) and one for one in core):
            raise DefinitionError(f"core must be names or patterns of tools, got {to_repr(self.core)}.")
        object.__setattr__(self, "core", core)


def read_tool_search(given: Any) -> ToolSearch:
    """The settings that a person means: `ToolSearch`, or its first word."""
    return given if isinstance(given, ToolSearch) else ToolSearch(given)


def deferred(tools: Sequence[Tool], settings: ToolSearch, context: int | None) -> list[Tool]:
    """The tools that a model with so many tokens of context is not shown at once; often none.

    A tool belongs to the core by where it comes from or by the settings, never by what it calls itself: a
    server's ``read_file`` is like any other of its tools.
    """
    if settings.when == "off":
        return []
    others = [tool for tool in tools if not _is_core(tool, settings)]
    if settings.when == "on":
        return others
    most = (settings.context or context or CONTEXT) * settings.share
    return others if sum(map(tool_tokens, others)) > most else []


def _is_core(tool: Tool, settings: ToolSearch) -> bool:
    return tool.origin.kind == "builtin" or any(fnmatchcase(tool.name, one) for one in settings.core)

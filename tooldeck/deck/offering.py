"""The part of a deck that shows its tools to models: which of them, how much of each, and in what words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tooldeck.core.action_tool import shown_tool
from tooldeck.core.approval import Word
from tooldeck.core.caller import current_caller
from tooldeck.core.tool import Tool
from tooldeck.policy import Policy
from tooldeck.registry.export import export
from tooldeck.registry.gated import Gated
from tooldeck.registry.prompt import system_prompt as told_of
from tooldeck.registry.toolset import ToolSet
from tooldeck.search.searched import Searched

__all__ = ["Offering"]


class Offering(ToolSet, Gated, Searched):
    """The methods of a deck about what models are shown."""

    _policy: Policy
    action_schemas: str
    """How models are shown a tool of several actions: ``"flat"`` or ``"union"``."""

    def export(
        self, dialect: str, *, names: Iterable[str] | None = None, context: int | None = None
    ) -> list[dict[str, Any]]:
        """The tools that can be used, without those that policy denies, as `dialect` wants them.

        It is ``openai``, ``anthropic``, ``gemini`` or ``mcp``. With `names`, only those of them. For a model
        with `context` tokens of context, only what it is shown at once, with the tools by which it finds the
        others, as `tool_search` says; all of them by default.
        """
        self._check_allowed(self.tools)
        if names is None and context is not None:
            return export(self._offer(context).shown, dialect)
        return export(self._usable(names), dialect)

    def system_prompt(self, *, context: int | None = None) -> str:
        """What a model has to be told about what `export` gives, for the system prompt; may be empty."""
        return self._told(self._usable() if context is None else self._offer(context).shown)

    def _told(self, tools: Iterable[Tool]) -> str:
        return told_of(tools, self._policy.trust_of)

    def _usable(self, names: Iterable[str] | None = None) -> list[Tool]:
        """The tools as models are shown them, without those that never run; all, or those of `names`."""
        tools = self._shelf.all()
        if names is not None:
            known = self._shelf.view
            tools = [known[name] for name in names if name in known]
        return [self._shown(tool) for tool in tools if not self._never_runs(tool)]

    def _shown(self, tool: Tool) -> Tool:
        """A tool as models are shown it: without the actions that never run."""
        if not tool.actions:
            return tool
        left = {name: one for name, one in tool.actions.items() if not self._never_runs(one)}
        return shown_tool(tool, left, self.action_schemas)

    def _never_runs(self, tool: Tool) -> bool:
        if not tool.for_models:
            return True
        run = current_caller().run
        if run is not None and run.tools is not None and tool.name not in run.tools:
            return True
        if self._gates.why_not(tool) is not None:
            return True
        verdict = self._policy.static(tool)
        return verdict is not None and verdict.word is Word.DENY

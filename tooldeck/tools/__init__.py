"""The tools that come with tooldeck, one file each; a tool of several parts has a folder beside its file.

They work in the workspace of their deck: ``deck.add_builtins("file")``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import DefinitionError
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import nearest

__all__ = ["BUILTINS", "META", "load", "load_meta", "names"]

BUILTINS: Mapping[str, str] = MappingProxyType(
    {
        "browser": "tooldeck.tools.browser:browser",
        "code": "tooldeck.tools.code:code",
        "exec": "tooldeck.tools.exec:exec_tool",
        "git": "tooldeck.tools.git:git",
        "lsp": "tooldeck.tools.lsp:lsp",
        "media": "tooldeck.tools.media:media",
        "memory": "tooldeck.tools.memory:memory",
        "apply_patch": "tooldeck.tools.apply_patch:apply_patch",
        "checkpoint": "tooldeck.tools.checkpoint:checkpoint",
        "file": "tooldeck.tools.file:file",
        "handoff": "tooldeck.tools.handoff:handoff",
        "file_hash_edit": "tooldeck.tools.file_hash_edit:file_hash_edit",
        "schedule": "tooldeck.tools.schedule:schedule",
        "search_conversations": "tooldeck.tools.search_conversations:search_conversations",
        "skill_view": "tooldeck.tools.skill_view:skill_view",
        "system": "tooldeck.tools.system:system",
        "todo": "tooldeck.tools.todo:todo",
        "verify": "tooldeck.tools.verify:verify",
        "verify_answer": "tooldeck.tools.verify_answer:verify_answer",
        "web": "tooldeck.tools.web:web",
    }
)
"""Where the tool of each name is made: a module, and an `ActionTool` or a `Tool` in it."""


def names() -> tuple[str, ...]:
    """The names of all built-in tools; imports none of them."""
    return tuple(BUILTINS)


def load(chosen: Iterable[str] = ()) -> list[Tool]:
    """The built-in tools, all or those of these names, not yet in any deck.

    Raises `DefinitionError` for a name that none has.
    """
    return [_loaded(name) for name in tuple(chosen) or BUILTINS]


META = "meta"
"""The word that stands for the tools of steps, which are never among all."""


def load_meta(tools: Mapping[str, Tool]) -> list[Tool]:
    """The tools of steps, which are made of calls of `tools`; those that are missing are loaded as well."""
    from tooldeck.tools.meta.known import KNOWN

    needed = dict.fromkeys(step.tool for one in KNOWN for step in one.steps)
    missing = load([name for name in needed if name not in tools]) if set(needed) - set(tools) else []
    there = {**tools, **{tool.name: tool for tool in missing}}
    return [*missing, *(one.tool(there, Origin("builtin", META)) for one in KNOWN)]


def _loaded(name: str) -> Tool:
    place = BUILTINS.get(name)
    if place is None:
        close = nearest(name, BUILTINS, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(BUILTINS)}, {META}."
        raise DefinitionError(f"There is no built-in tool {name!r}; {hint}")
    module, _, attribute = place.partition(":")
    made: ActionTool | Tool = getattr(importlib.import_module(module), attribute)
    return made.tool(Origin("builtin")) if isinstance(made, ActionTool) else made

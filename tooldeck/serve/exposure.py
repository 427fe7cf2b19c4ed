"""Which tools of a deck others may see and call: by what is declared of them, never by words in names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any
from weakref import WeakKeyDictionary

from tooldeck.core.action_tool import with_actions
from tooldeck.core.errors import DefinitionError
from tooldeck.core.gates import PATTERN_MARKS
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Effect, nearest, read_effects

__all__ = ["Exposure", "check_names", "read_exposure"]


_FEW = 10
# Names of tools that an error lists.


@dataclass(frozen=True, slots=True)
class Exposure:
    """What is shown to others. Tools of several actions are judged action by action."""

    effects: frozenset[Effect] = frozenset({Effect.READ})
    """A tool is shown when it declares no other effects than these; undeclared ones are not."""
    allowed: frozenset[str] = frozenset()
    """Tools that are shown whatever they may do: ``name``, or ``name.action`` for one action."""
    only: tuple[str, ...] | None = None
    """Names or patterns, also of actions, outside of which nothing is shown; None does not choose."""
    _views: WeakKeyDictionary[Tool, Tool] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    def of(self, tool: Tool) -> Tool | None:
        """The tool as others see it, with the actions they may call; None when they see nothing of it."""
        if not tool.actions:
            return tool if self._shows(tool) else None
        left = {name: one for name, one in tool.actions.items() if self._shows(one)}
        if not left:
            return None
        if len(left) == len(tool.actions):
            return tool
        view = self._views.get(tool)
        if view is None:  # the same object each time, since stages are composed for objects
            view = self._views[tool] = with_actions(tool, left)
        return view

    def _shows(self, tool: Tool) -> bool:
        if not tool.for_models:
            return False
        names = [tool.name, f"{tool.name}.{tool.action}"] if tool.action else [tool.name]
        if self.only is not None and not any(fnmatchcase(name, one) for name in names for one in self.only):
            return False
        if not self.allowed.isdisjoint(names):
            return True
        return tool.effects is not None and tool.effects <= self.effects


def read_exposure(
    tools: str | Iterable[str] | None = None,
    allow: str | Iterable[str] = (),
    effects: str | Iterable[str] = ("read",),
) -> Exposure:
    """An `Exposure` of words. Raises `DefinitionError` for what is no name and for patterns in `allow`."""
    only = None if tools is None else _names("tools", tools)
    allowed = _names("allow", allow)
    for name in allowed:
        if set(name) & set(PATTERN_MARKS):
            raise DefinitionError(
                f"allow= takes names, one for each tool that may do more than read, not {name!r}."
            )
    return Exposure(read_effects(effects) or frozenset(), frozenset(allowed), only)


def check_names(exposure: Exposure, tools: Mapping[str, Tool]) -> None:
    """Raise `DefinitionError` for a name that none of `tools` has; a pattern may fit one that comes later."""
    known = [*tools, *(f"{name}.{action}" for name, tool in tools.items() for action in tool.actions)]
    for option, names in (("tools", exposure.only or ()), ("allow", sorted(exposure.allowed))):
        for name in names:
            if name in known or set(name) & set(PATTERN_MARKS):
                continue
            close = nearest(name, known, 1)
            few = ", ".join([*list(tools)[:_FEW], *(["…"] if len(tools) > _FEW else [])])
            hint = f"did you mean {close[0]!r}?" if close else f"it has: {few or 'none yet'}."
            raise DefinitionError(f"{option}= names {name!r}, and this deck has no such tool; {hint}")


def _names(option: str, given: Any) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    for name in listed:
        if not isinstance(name, str) or not name.strip():
            raise DefinitionError(f"{option}= takes names of tools, or name.action, got {name!r}.")
    return tuple(name.strip() for name in listed)

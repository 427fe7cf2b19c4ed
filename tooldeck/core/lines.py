"""The composed pipelines of one deck, made when first needed and again after what they depend on changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.host import Host
from tooldeck.core.pipeline import compose_for, compose_outer
from tooldeck.core.tool import Tool
from tooldeck.core.world import Handler, World

__all__ = ["Door", "Kind", "Lines"]


@dataclass(frozen=True, slots=True, eq=False)
class Door:
    """A way in for calls from elsewhere, such as those of a server's clients."""

    host: Host
    """Where their bodies run, which is never the thread or loop that brings the call, and who is asked."""
    admit: Callable[[ToolCall, Tool | Outcome], Tool | Outcome]
    """What such a call finds instead of what the deck finds: the same tool, less of it, or nothing."""


class Kind(NamedTuple):
    """What a pipeline is composed for."""

    blocking: bool
    """Whether the caller blocks or awaits."""
    in_run: bool
    """Whether the call belongs to a run, or comes from the body of another call, which may be given up."""
    door: Door | None = None
    """The way by which it came in; None for the deck's own callers."""


class _Line(NamedTuple):
    handler: Handler
    chains: dict[Tool, Handler]


class Lines:
    """One pipeline per `Kind`; `make_world` gives the services for it and the composed stages of a tool."""

    def __init__(self, make_world: Callable[[Kind, Callable[[Tool], Handler]], World]) -> None:
        self._make_world = make_world
        self._lines: dict[Kind, _Line] = {}
        self._watchers: list[Callable[[], object]] = []

    def of(self, kind: Kind) -> Handler:
        """The pipeline for this kind of call."""
        lines = self._lines  # kept, so that what is composed from old settings never enters a renewed table
        line = lines.get(kind)
        if line is None:
            line = lines[kind] = self._lay(kind)
        return line.handler

    def renew(self) -> None:
        """Compose everything again: a policy, hook, observer or host changed."""
        self._lines = {}
        for told in list(self._watchers):
            told()

    def watch(self, told: Callable[[], object]) -> Callable[[], None]:
        """Call `told`, on whichever thread, whenever everything is composed anew; returns what undoes it."""
        self._watchers.append(told)
        return lambda: self._watchers.remove(told) if told in self._watchers else None

    def forget(self, tool: Tool) -> None:
        """Drop what was composed for a tool that is gone."""
        for line in list(self._lines.values()):
            for one in (tool, *tool.actions.values()):
                line.chains.pop(one, None)

    def _lay(self, kind: Kind) -> _Line:
        chains: dict[Tool, Handler] = {}

        def chain(tool: Tool) -> Handler:
            found = chains.get(tool)
            if found is None:
                found = chains[tool] = compose_for(tool, world)
            return found

        world = self._make_world(kind, chain)
        return _Line(compose_outer(world), chains)

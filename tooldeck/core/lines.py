"""The composed pipelines of one deck, made when first needed and again after what they depend on changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tooldeck.core.pipeline import compose_for, compose_outer
from tooldeck.core.tool import Tool
from tooldeck.core.world import Handler, World

__all__ = ["Kind", "Lines"]


class Kind(NamedTuple):
    """What a pipeline is composed for."""

    blocking: bool
    """Whether the caller blocks or awaits."""
    in_run: bool
    """Whether the call belongs to a run, or comes from the body of another call, which may be given up."""


class _Line(NamedTuple):
    handler: Handler
    chains: dict[Tool, Handler]


class Lines:
    """One pipeline per `Kind`; `make_world` gives the services for it and the composed stages of a tool."""

    def __init__(self, make_world: Callable[[Kind, Callable[[Tool], Handler]], World]) -> None:
        self._make_world = make_world
        self._lines: dict[Kind, _Line] = {}

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

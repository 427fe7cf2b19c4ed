"""Which calls of a batch may run beside each other: a pure function from what they do to who waits for whom.

A call whose effects allow it runs beside others, unless they use the same resource. Any other call runs
alone: after all before it, before all after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Effect

__all__ = ["Part", "may_run_beside_others", "plan"]

_READS = frozenset({Effect.READ, Effect.NETWORK})


class Part(NamedTuple):
    """What the planner knows of one call."""

    alone: bool = False
    """Whether no other call may run at the same time."""
    resources: frozenset[str] = frozenset()
    """What the call uses; two that share one run in the order in which they were given."""


def plan(parts: Sequence[Part]) -> tuple[frozenset[int], ...]:
    """For each call the earlier ones that must have ended before it starts, by position."""
    waits: list[frozenset[int]] = []
    last_alone = -1
    for place, part in enumerate(parts):
        since = range(last_alone + 1, place)
        if part.alone:
            before = frozenset(since)
            last_alone_before, last_alone = last_alone, place
        else:
            before = frozenset(other for other in since if parts[other].resources & part.resources)
            last_alone_before = last_alone
        waits.append(before | {last_alone_before} if last_alone_before >= 0 else before)
    return tuple(waits)


def may_run_beside_others(tool: Tool) -> bool:
    """Whether the declared effects allow it: none at all, or reading, here or over the network."""
    effects = tool.effects
    return effects is not None and (not effects or (Effect.READ in effects and effects <= _READS))

"""Two things measured in turns, so that a busy machine disturbs both alike; medians and their ratio.

Processor time is what counts: on a busy machine the longer of two things is interrupted more often, so that
its share of the wall clock grows beyond its own.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

__all__ = ["Figure", "in_turns", "in_turns_async"]

ROUNDS = 101


class Figure(NamedTuple):
    """One line of the report."""

    what: str
    ours: float
    theirs: float
    unit: str
    """``us`` or ``ms`` or ``s``; the numbers are in it."""
    aim: str = ""
    """The most that the ratio should be."""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    def __str__(self) -> str:
        aim = f"  (aim: at most {self.aim})" if self.aim else ""
        return (
            f"{self.what:<44} {self.ours:>9.2f} {self.unit} against {self.theirs:>9.2f} {self.unit}"
            f"  = {self.ratio:.2f} times{aim}"
        )


def in_turns(
    ours: Callable[[], Any], theirs: Callable[[], Any], *, calls: int, rounds: int = ROUNDS
) -> tuple[float, float]:
    """Median seconds of one call of each, `rounds` rounds of `calls` calls, the two taking turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    for function in (ours, theirs):
        for _ in range(calls):
            function()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for times, function in zip(taken, (ours, theirs), strict=True):
                start = time.process_time()
                for _ in range(calls):
                    function()
                times.append((time.process_time() - start) / calls)
    finally:
        gc.enable()
    return statistics.median(taken[0]), statistics.median(taken[1])


async def in_turns_async(
    ours: Callable[[], Awaitable[Any]],
    theirs: Callable[[], Awaitable[Any]],
    *,
    calls: int,
    rounds: int = ROUNDS,
) -> tuple[float, float]:
    """The same for two async functions on the running loop."""
    taken: tuple[list[float], list[float]] = ([], [])
    for function in (ours, theirs):
        for _ in range(calls):
            await function()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for times, function in zip(taken, (ours, theirs), strict=True):
                start = time.process_time()
                for _ in range(calls):
                    await function()
                times.append((time.process_time() - start) / calls)
    finally:
        gc.enable()
    return statistics.median(taken[0]), statistics.median(taken[1])

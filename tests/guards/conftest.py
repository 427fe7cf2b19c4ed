"""Programs that are run for real, and ways to see whether something of them was left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import psutil
import pytest

from tooldeck.guards.isolation import Isolation, Walls
from tooldeck.guards.sandbox import levels
from tooldeck.hosts.background import background

LIMIT = 60.0


@pytest.fixture(params=["awaited", "blocking"])
def complete(request) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine to its end: on a loop of its own, or on the background loop while we block."""
    if request.param == "awaited":
        return asyncio.run
    return lambda coroutine: background().submit(lambda: coroutine).result(LIMIT)


@pytest.fixture
def left_over() -> Callable[[str], list[int]]:
    """The living processes that have a word in their command line."""

    def look(word: str) -> list[int]:
        everybody = psutil.process_iter(["cmdline", "status"])
        return [
            process.pid
            for process in everybody
            if word in (process.info["cmdline"] or ()) and process.info["status"] != psutil.STATUS_ZOMBIE
        ]

    return look


@pytest.fixture(scope="session")
def found_walls() -> dict[Isolation, Walls]:
    """The kinds of sandbox of this machine."""
    return {walls.level: walls for walls in asyncio.run(levels())}


@pytest.fixture(params=[Isolation.BUBBLEWRAP, Isolation.LANDLOCK])
def walls(request, found_walls) -> Walls:
    """Each kind of sandbox that is here."""
    walls = found_walls[request.param]
    if not walls.usable:
        pytest.skip(f"no {walls.level} here: {walls.why_not}")
    return walls

"""What importing costs, each time in a fresh interpreter."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measure import Figure

ROUNDS = 9
_TIMED = "import time; start = time.perf_counter(); {code}; print(time.perf_counter() - start)"
_CODE = {
    "bare": "import tooldeck",
    "deck": "from tooldeck import Deck; Deck()",
    "pydantic": "from pydantic import TypeAdapter",
}


def figures() -> Iterator[Figure]:
    """Medians of several rounds, the three taken in turns."""
    taken: dict[str, list[float]] = {name: [] for name in _CODE}
    for _ in range(ROUNDS):
        for name, code in _CODE.items():
            taken[name].append(_seconds(code))
    median = {name: statistics.median(times) * 1e3 for name, times in taken.items()}
    yield Figure("import tooldeck, against pydantic", median["bare"], median["pydantic"], "ms")
    yield Figure("a first Deck, against pydantic", median["deck"], median["pydantic"], "ms")


def _seconds(code: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _TIMED.format(code=code)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return float(done.stdout)

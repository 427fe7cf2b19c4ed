"""Print every ratio; parts may be named: ``python -m benchmarks calls schemas``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from benchmarks import actions, calls, forms, imports, loops, mcp_calls, schemas, search, served_calls
from benchmarks.measure import Figure

PARTS: dict[str, Callable[[], None]] = {
    "actions": lambda: _print(actions.figures()),
    "calls": lambda: _print(calls.figures()),
    "checks": lambda: _print(schemas.checks()),
    "imports": lambda: _print(imports.figures()),
    "schemas": lambda: _print(schemas.figures()),
    "loops": lambda: _print(loops.figures()),
    "mcp": lambda: _print(mcp_calls.figures()),
    "serve": lambda: _print(served_calls.figures()),
    "forms": lambda: print(*forms.lines(), sep="\n", flush=True),
    "search": lambda: print(*search.lines(), sep="\n", flush=True),
    "memory": lambda: print(schemas.memory()),
}


def _print(figures: Iterable[Figure]) -> None:
    for figure in figures:
        print(figure, flush=True)


def main(names: list[str]) -> None:
    """Run the parts of these names, all of them by default."""
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        sys.exit(f"No benchmark {unknown[0]!r}; there are: {', '.join(PARTS)}.")
    for name in names or PARTS:
        PARTS[name]()


main(sys.argv[1:])

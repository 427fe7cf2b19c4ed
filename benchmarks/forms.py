"""How long forms take: a flat one, the largest of the data, and a check of what it holds."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ipywidgets

from tooldeck.notebook.forms import Form

DATA = Path(__file__).parents[2] / "shared" / "data" / "mcp_tool_schemas"
ROUNDS = 15
FLAT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "where to fly"},
        "seats": {"type": "integer", "minimum": 1, "maximum": 9},
        "grade": {"enum": ["eco", "biz"]},
    },
    "required": ["city"],
}


def lines() -> Iterator[str]:
    """Milliseconds of the wall clock, medians, with the models that the page is sent."""
    Form(FLAT)
    yield _line("form of three fields", FLAT, "100 ms")
    for name, schema in _largest():
        yield _line(f"form of {name}", schema, "1 500 ms")


def _largest() -> list[tuple[str, Any]]:
    """Of all schemas the one with the longest text, and the one whose form is made of most widgets."""
    tools = [
        (f"{file.stem}/{tool['name']}", tool["inputSchema"])
        for file in sorted(DATA.glob("*.json"))
        if isinstance(data := json.loads(file.read_text("utf-8")), dict)
        for tool in data["tools"]
        if isinstance(tool.get("inputSchema"), dict)
    ]
    if not tools:
        return []
    longest = max(tools, key=lambda tool: len(json.dumps(tool[1])))
    return list(dict([longest, max(tools, key=lambda tool: _models(tool[1]))]).items())


def _line(what: str, schema: Any, aim: str) -> str:
    taken = _median(lambda: Form(schema))
    made = Form(schema)
    check = _median(made.check)
    return (
        f"{what:<44} {taken:>9.2f} ms  {_models(schema)} models  (aim: at most {aim}); "
        f"check {check:.2f} ms, value {_median(lambda: made.value):.2f} ms"
    )


def _median(work: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def _models(schema: Any) -> int:
    """Widgets, layouts and styles of one form; shared ones are counted once a process."""
    ipywidgets.Widget.close_all()
    made = Form(schema)
    seen: set[str] = set()
    waiting: list[Any] = [made.widget]
    while waiting:
        widget = waiting.pop()
        if widget.model_id in seen:
            continue
        seen.add(widget.model_id)
        waiting += [getattr(widget, name) for name in ("layout", "style") if hasattr(widget, name)]
        waiting += getattr(widget, "children", ())
    return len(seen)

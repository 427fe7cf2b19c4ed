"""Run a notebook from start to end without a person, and tell what its deck did.

Usage: python scripts/demo.py NOTEBOOK FOLDER

Writes the executed notebook and its HTML into FOLDER. Ends with 1 when a cell raised or a cell took too
long, with 2 when the notebook made no deck; what happened until then is told all the same.
"""

from __future__ import annotations

import ast
import copy
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbclient.util import ensure_async
from nbconvert import HTMLExporter

SECONDS_PER_CELL = 120

# An expression that the kernel evaluates after every cell, so that tools are seen before they go again.
FACTS = """__import__("json").dumps({
    "tools": [[tool.name, tool.origin.kind, tool.origin.label] for tool in deck.tools.values()],
    "calls": [[result.call.name, str(result.status), result.seconds] for result in deck.history()],
} if "deck" in globals() else None)"""

WIDGET = "application/vnd.jupyter.widget-view+json"


@dataclass
class Story:
    """What the deck of the notebook had and did."""

    tools: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name of each tool ever seen, with the kind and the label of its origin."""
    calls: list[tuple[str, str, float]] = field(default_factory=list)
    """Name, status and seconds of each call."""
    deck: bool = False
    """Whether there was a deck."""

    def add(self, facts: dict[str, Any] | None) -> None:
        """Take in what the kernel told after a cell."""
        if facts is None:
            return
        self.deck = True
        self.tools.update({name: (kind, label) for name, kind, label in facts["tools"]})
        self.calls = [(name, status, seconds) for name, status, seconds in facts["calls"]]

    def lines(self) -> list[str]:
        """Tell it: tools made, calls with their statuses, MCP tools found and called."""
        own = [name for name, (kind, _) in self.tools.items() if kind != "mcp"]
        found = {name: label for name, (kind, label) in self.tools.items() if kind == "mcp"}
        called = Counter(name for name, _, _ in self.calls if name in found)
        statuses = Counter(status for _, status, _ in self.calls)
        width = max((len(name) for name, _, _ in self.calls), default=0)
        return [
            f"tools made: {_listed(own)}",
            f"calls: {len(self.calls)} ({', '.join(f'{n} {status}' for status, n in statuses.items())})",
            *(f"  {name:<{width}}  {status:<9}  {_time(seconds)}" for name, status, seconds in self.calls),
            f"MCP tools found: {_listed([f'{name} ({label})' for name, label in found.items()])}",
            f"MCP tools called: {_listed([f'{name} ×{n}' for name, n in called.items()])}",
        ]


def _listed(names: list[str]) -> str:
    return f"{len(names)} ({', '.join(names)})" if names else "none"


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def execute(notebook: nbformat.NotebookNode, folder: Path) -> tuple[Story, str | None]:
    """Run the cells with ``folder`` as working folder; return the story, and what went wrong or None."""
    story = Story()

    async def look(**_cell: object) -> None:
        reply = await ensure_async(
            client.kc.execute("", silent=True, user_expressions={"facts": FACTS}, reply=True, timeout=10)
        )
        told = reply["content"].get("user_expressions", {}).get("facts", {})
        if told.get("status") == "ok":
            story.add(json.loads(ast.literal_eval(told["data"]["text/plain"])))
        elif told.get("status") == "error":
            print(f"the deck could not be asked: {told['ename']}: {told['evalue']}", file=sys.stderr)

    client = NotebookClient(
        notebook, timeout=SECONDS_PER_CELL, kernel_name="python3", on_cell_executed=look,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )  # fmt: skip
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError) as error:
        return story, str(error)
    return story, None


def write(notebook: nbformat.NotebookNode, target: Path) -> list[Path]:
    """Write the executed notebook and its HTML; return the two paths."""
    target.parent.mkdir(parents=True, exist_ok=True)
    saved = target.with_suffix(".executed.ipynb")
    nbformat.write(notebook, saved)
    exporter = HTMLExporter(embed_images=True, require_js_url="", mathjax_url="")
    html, _ = exporter.from_notebook_node(_without_widgets(notebook))
    page = target.with_suffix(".html")
    page.write_text(html, encoding="utf-8")
    return [saved, page]


def _without_widgets(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return a copy with the plain forms only: without a kernel they say more than a widget does."""
    plain = copy.deepcopy(notebook)
    plain.metadata.pop("widgets", None)
    for cell in plain.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)
    return plain


def main(arguments: list[str]) -> int:
    """Run the command; the number is the exit code."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 64
    source, folder = Path(arguments[0]), Path(arguments[1])
    notebook = nbformat.read(source, as_version=4)
    cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    start = time.perf_counter()
    story, fault = execute(notebook, source.resolve().parent)
    paths = write(notebook, folder / source.name)
    print(f"{source}: {cells} code cells in {_time(time.perf_counter() - start)}")
    print("\n".join(story.lines()))
    if fault is None and story.calls:
        print("every cell ran; refused, failed and tripped calls belong to the tour")
    print("see " + "\nand ".join(str(path) for path in paths))
    if fault is not None:
        print(f"\na cell failed:\n{fault}", file=sys.stderr)
        return 1
    if not story.deck:
        print("\nthe notebook made no deck", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

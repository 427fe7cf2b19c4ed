"""What `%load_ext tooldeck` loads, and that a notebook shows the same with every ipykernel."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from kernel_cells import VERSIONS
from notebook_kernel import NotebookKernel
from rig import kernels

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("anywidget", "httpx", "httpx2", "ipywidgets", "jsonschema", "mcp", "nest_asyncio2", "sqlite3")

LOAD = f"""
import sys
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell(config=config)
before = set(sys.modules)
shell.run_line_magic("load_ext", "tooldeck")
print([name for name in {HEAVY!r} if name in sys.modules and name not in before], "deck" in shell.user_ns)
"""


def test_loading_the_extension_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOAD], cwd=ROOT, capture_output=True, text=True, timeout=50, check=True
    )
    assert done.stdout.splitlines()[-1] == "[] True"


WALK = [
    "@deck.tool(effects='read')\ndef add(a: int, b: int = 2) -> int:\n    'Add.'\n    return a + b",
    "%tools",
    "%tool add",
    "%call add a=1",
    "%call add a=one",
    "r = deck.call('note', text='tea'); r",
    "%mcp connect demo",
    "deck.policy.allow('city'); deck.call('city', name='Oslo')",
    "%mcp close demo",
    "%deck",
]


@pytest.mark.timeout(400)
def test_a_notebook_shows_the_same_with_every_ipykernel() -> None:
    shown = {}
    for version in VERSIONS:
        with suppress(kernels.UnavailableError):  # the tests of that version say so
            shown[version] = walk(version)
    first = shown[None]
    assert len(first) == len(WALK)
    for version, outputs in shown.items():
        assert outputs == first, version


def walk(version: str | None) -> list[list[str]]:
    """The text of all outputs of the walk, cell by cell, without what differs from run to run."""
    notebook = NotebookKernel(version)
    try:
        notebook.fresh()
        return [_texts(notebook, code) for code in WALK]
    finally:
        notebook.close()


def _texts(notebook: NotebookKernel, code: str) -> list[str]:
    cell = notebook.send(code)
    if "note" in code:
        (card,) = notebook.cards(cell, timeout=40)
        notebook.answer(card)
    notebook.finish(cell, 60)
    texts = [cell.status, cell.text, cell.error]
    for kind in ("display_data", "update_display_data", "execute_result"):
        texts += [content["data"]["text/plain"] for content in cell.contents(kind)]
    return [re.sub(r"\d+(\.\d+)? ?(ms|s|µs)\b", "TIME", text) for text in texts]

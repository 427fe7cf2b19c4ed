"""The demo command tells what a notebook did, and fails when the notebook does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from rig.kernels import ROOT

pytestmark = pytest.mark.timeout(120)

TOOL = """
from tooldeck import Deck
deck = Deck()

@deck.tool(effects=[])
def double(n: int) -> int:
    "Twice the number."
    return 2 * n

deck.call("double", n=21), deck.call("double", n="many")
"""


def demo(folder: Path, *cells: str) -> subprocess.CompletedProcess[str]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    source = folder / "some.ipynb"
    nbformat.write(notebook, source)
    command = [sys.executable, str(ROOT / "scripts" / "demo.py"), str(source), str(folder / "out")]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def test_the_demo_tells_tools_and_calls_and_writes_both_forms(tmp_path: Path) -> None:
    done = demo(tmp_path, TOOL, "import ipywidgets; ipywidgets.IntSlider(7)")
    assert done.returncode == 0, done.stderr
    assert "tools made: 1 (double)" in done.stdout
    assert "calls: 2 (1 ok, 1 invalid)" in done.stdout
    assert "MCP tools found: none" in done.stdout
    page = (tmp_path / "out" / "some.html").read_text()
    assert "IntSlider(value=7)" in page, "without a kernel the plain form is shown"
    saved = nbformat.read(tmp_path / "out" / "some.executed.ipynb", as_version=4)
    assert [cell.execution_count for cell in saved.cells] == [1, 2], "asking the deck leaves no trace"


def test_the_demo_fails_with_the_cell_and_still_tells_what_went_before(tmp_path: Path) -> None:
    done = demo(tmp_path, TOOL, "1 / 0", "raise SystemExit")
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert "calls: 2" in done.stdout
    assert (tmp_path / "out" / "some.executed.ipynb").exists()


def test_a_notebook_without_a_deck_is_told_apart(tmp_path: Path) -> None:
    done = demo(tmp_path, "x = 1")
    assert done.returncode == 2
    assert "no deck" in done.stderr

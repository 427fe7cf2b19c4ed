"""The demo command tells what a notebook did, and fails when the notebook does."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

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


@pytest.fixture(scope="module")
def command() -> ModuleType:
    """The script, loaded once: it takes seconds to import what it runs notebooks with."""
    spec = importlib.util.spec_from_file_location("demo_command", ROOT / "scripts" / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def demo(command: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs the command on a notebook with these cells; gives its exit code."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def run(*cells: str) -> int:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        source = tmp_path / "some.ipynb"
        nbformat.write(notebook, source)
        return command.main([str(source), str(tmp_path / "out")])

    return run


def test_the_demo_tells_tools_and_calls_and_writes_both_forms(demo, tmp_path, capsys) -> None:
    assert demo(TOOL, "import ipywidgets; ipywidgets.IntSlider(7)") == 0
    told = capsys.readouterr().out
    assert "tools made: 1 (double)" in told
    assert "calls: 2 (1 ok, 1 invalid)" in told
    assert "MCP tools found: none" in told
    page = (tmp_path / "out" / "some.html").read_text()
    assert "IntSlider(value=7)" in page, "without a kernel the plain form is shown"
    saved = nbformat.read(tmp_path / "out" / "some.executed.ipynb", as_version=4)
    assert [cell.execution_count for cell in saved.cells] == [1, 2], "asking the deck leaves no trace"


def test_the_demo_fails_with_the_cell_and_still_tells_what_went_before(demo, tmp_path, capsys) -> None:
    assert demo(TOOL, "1 / 0", "raise SystemExit") == 1
    told = capsys.readouterr()
    assert "ZeroDivisionError" in told.err
    assert "calls: 2" in told.out
    assert (tmp_path / "out" / "some.executed.ipynb").exists()


def test_a_notebook_without_a_deck_is_told_apart(demo, capsys) -> None:
    assert demo("x = 1") == 2
    assert "no deck" in capsys.readouterr().err

"""Programs that run notebooks without a person: nobody can be asked, and nothing hangs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from kernel_cells import ALL
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]

CELL = """
from tooldeck.notebook.kernel.environment import Audience, audience, why_nobody
assert audience() is Audience.NOBODY
print(why_nobody())
"""

WAITS = """
import threading
from concurrent.futures import Future
from tooldeck.notebook.kernel import post, run_here, wait, wait_async
future = Future()
threading.Timer(0.1, future.set_result, [1]).start()
async def twice(): return 2 * await wait_async(future)
try: wait(Future(), 0.01)
except TimeoutError: pass
print(wait(future), await wait_async(future), run_here(twice()))
"""

SENTENCE = "this notebook is run by a program that takes no input\n"


def notebook(folder: Path, *, outputs: bool = False) -> Path:
    cells = [nbformat.v4.new_code_cell(CELL), nbformat.v4.new_code_cell(WAITS)]
    if outputs:
        for number, text in enumerate((SENTENCE, "1 1 2\n")):
            cells[number]["execution_count"] = number + 1
            cells[number]["outputs"] = [nbformat.v4.new_output("stream", name="stdout", text=text)]
    path = folder / "headless.ipynb"
    kernelspec = {"name": "python3", "display_name": "python3", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernelspec}), path)
    return path


def test_nbclient_finishes_and_says_why_nobody_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = nbformat.read(notebook(tmp_path), as_version=4)
    NotebookClient(done, timeout=60, kernel_name="python3").execute()
    assert [cell["outputs"][0]["text"] for cell in done.cells] == [SENTENCE, "1 1 2\n"]


RUNNERS = {
    "nbval": ["pytest", "--nbval", "-q", "-p", "no:cacheprovider"],
    "nbconvert": ["nbconvert", "--to", "notebook", "--execute", "--output", "out.ipynb"],
    "papermill": ["papermill", "--no-progress-bar"],
}


@pytest.mark.skipif(
    not ALL, reason="nbval runs the tutorials anyway; TOOLDECK_KERNELS=all runs the others too"
)
@pytest.mark.timeout(200)
@pytest.mark.parametrize("runner", RUNNERS)
def test_other_runners_finish_too(runner: str, tmp_path: Path) -> None:
    paths = [str(notebook(tmp_path, outputs=runner == "nbval"))]
    if runner == "papermill":
        paths.append(str(tmp_path / "out.ipynb"))
    done = _run([sys.executable, "-m", *RUNNERS[runner], *paths], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "JPY_"))}
    return subprocess.run(
        command, cwd=folder, env=kept | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=150, check=False,
    )  # fmt: skip

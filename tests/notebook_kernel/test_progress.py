"""Long calls of Python tools show how far they are, in the cell that waits for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from notebook_kernel import NotebookKernel

TOOLS = """
import time
from tooldeck import Injected, Progress

def counted(n: int, progress: Injected[Progress], last: float = 0.0):
    for step in range(1, n + 1):
        time.sleep(last if step == n else 0.0)  # on a thread of its own it may end before a bar can be drawn
        progress(step, n, f"step {step}")
    return n

def endless(progress: Injected[Progress]):
    progress(3, text="pages")
    raise ValueError("lost")

def stream(n: int):
    for item in range(n):
        if item == n - 1:
            time.sleep(0.35)
        yield f"row {item}"

for f in (counted, endless, stream):
    deck.add(f, effects="none")
deck.add(counted, name="limited", effects="none", timeout=30.0)
"""
CALL = {"blocking": "deck.call({})", "awaited": "await deck.acall({})"}
form = pytest.mark.parametrize("form", CALL)


def bars(notebook: NotebookKernel, cell: object) -> list[dict]:
    models = [notebook.models[one] for one in cell.widgets]
    return [model["progress"] for model in models if "progress" in model]


def line(bar: dict) -> str:
    return "".join(text for text, _ in bar["line"])


def run(notebook: NotebookKernel, call: str) -> list[dict]:
    cell = notebook.run(f"r = {call}; print(r.status)")
    return bars(notebook, cell)


@form
@pytest.mark.parametrize("tool", ["counted", "limited"])
def test_a_body_that_tells_its_progress_has_one_bar_that_ends_with_the_call(
    notebook: NotebookKernel, form: str, tool: str
) -> None:
    notebook.run(TOOLS)
    (bar,) = run(notebook, CALL[form].format(f"{tool!r}, n=3, last=0.3"))
    assert bar["share"] == 1.0
    assert line(bar) == "3 of 3 · step 3 · ok"


def test_a_bar_without_an_end_stands_still_when_the_call_fails(notebook: NotebookKernel) -> None:
    notebook.run(TOOLS)
    (bar,) = run(notebook, CALL["blocking"].format("'endless'"))
    assert (bar["share"], line(bar)) == (1.0, "3 · pages · failed")


@form
def test_a_stream_shows_its_items_once_it_takes_long(notebook: NotebookKernel, form: str) -> None:
    notebook.run(TOOLS)
    (bar,) = run(notebook, CALL[form].format("'stream', n=4"))
    assert line(bar) == "4 · row 3 · ok"


def test_without_somebody_who_sees_it_there_is_no_bar(notebook: NotebookKernel) -> None:
    notebook.run(TOOLS)
    cell = notebook.run("r = deck.call('counted', n=3); print(r.status)", allow_stdin=False)
    assert (cell.text, bars(notebook, cell)) == ("ok\n", [])


@form
def test_a_preview_that_takes_long_says_so_before_the_card_is_there(
    notebook: NotebookKernel, form: str, tmp_path: Path
) -> None:
    looked = tmp_path / "looked"
    notebook.run(
        "from pathlib import Path\n"
        "def slowly():\n"
        f"    while not Path({str(looked)!r}).exists(): time.sleep(0.01)\n"
        "    return 'what it would change'\n"
        "deck.add(lambda: 1, name='slow', effects='write', preview=slowly, preview_within=60.0)\n"
    )
    cell = notebook.send(CALL[form].format("'slow'"))

    def says(words: str) -> None:
        said = lambda: [line(bar) for bar in bars(notebook, cell)]  # noqa: E731
        notebook.until(lambda: said() == [words], 30, lambda: f"{said()} {cell}")

    says("finding out what it would change")
    looked.touch()
    (card,) = notebook.cards(cell)
    says("finding out what it would change · known")
    notebook.answer(card)
    assert notebook.finish(cell).status == "ok"

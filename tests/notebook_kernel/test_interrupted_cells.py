"""What a cell shows after an interrupt: the person's own lines, and no inside of tooldeck."""

from __future__ import annotations

import re

import pytest
from live_kernel import Cell
from notebook_kernel import NotebookKernel

TOOLS = """
import time

@deck.tool(effects="none", timeout=60)
async def slow(n: int = 1) -> int:
    print("waiting", flush=True)
    await asyncio.sleep(60)

@deck.tool(effects="none")
def busy(n: int = 1) -> int:
    print("waiting", flush=True)
    time.sleep(60)  # in the body
"""


@pytest.fixture
def tools(notebook: NotebookKernel) -> NotebookKernel:
    notebook.run(TOOLS)
    return notebook


def shown_after_an_interrupt(notebook: NotebookKernel, code: str) -> str:
    cell: Cell = notebook.blocked(code, widgets=0)
    notebook.interrupt()
    notebook.finish(cell, 15)
    (error,) = cell.contents("error")
    assert error["ename"] == cell.error == "KeyboardInterrupt"
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error["traceback"]))


@pytest.mark.parametrize(
    "line", ["deck.call('slow')", "await deck.acall('slow')", "await slow()", "%call slow"]
)
def test_an_interrupted_wait_shows_the_line_of_the_cell_only(tools: NotebookKernel, line: str) -> None:
    shown = shown_after_an_interrupt(tools, f"before = 1\n{line}")
    assert "2 " in shown
    assert line.lstrip("%") in shown or "run_line_magic('call', 'slow')" in shown
    assert shown.count("File ") == 0
    assert shown.count("Cell ") == 1


def test_an_interrupted_body_shows_its_own_line_too(tools: NotebookKernel) -> None:
    shown = shown_after_an_interrupt(tools, "deck.call('busy')")
    assert "time.sleep(60)  # in the body" in shown
    assert "deck.call('busy')" in shown
    assert "tooldeck" not in shown


def test_an_interrupt_outside_of_any_call_looks_as_ever(installed: NotebookKernel) -> None:
    code = "import queue\nprint('waiting', flush=True)\nqueue.Queue().get(timeout=60)"
    shown = shown_after_an_interrupt(installed, code)
    assert "queue.Queue().get(timeout=60)" in shown
    assert shown.count("File ") >= 1  # the inside of the library is there


def test_the_error_itself_keeps_its_whole_traceback(tools: NotebookKernel) -> None:
    tools.run("ended = []; get_ipython().events.register('post_run_cell', ended.append)")
    shown_after_an_interrupt(tools, "deck.call('busy')")
    told = tools.run(
        "import traceback; get_ipython().events.unregister('post_run_cell', ended.append)\n"
        "errors = [one.error_in_exec for one in ended if one.error_in_exec is not None]\n"
        "print(type(errors[0]).__name__, 'pipeline.py' in ''.join(traceback.format_exception(errors[0])))"
    )
    assert told.text == "KeyboardInterrupt True\n"

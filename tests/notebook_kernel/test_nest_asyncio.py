"""A notebook whose own code applies nest_asyncio, either line of it: calls, servers and limits go on."""

from __future__ import annotations

import itertools
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import kernel_cells
import pytest
from kernel_cells import ALL, ONE, TWO, VERSIONS
from kernel_pool import name, or_skip
from notebook_kernel import SETUP, NotebookKernel
from rig import kernels

SERVERS = Path(__file__).resolve().parents[1] / "mcp" / "servers"
RAW = shlex.join([sys.executable, "-S", str(SERVERS / "raw.py")])

OWN = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("mine")
@server.tool()
async def hello() -> str: return "hello"
"""

CASES = [
    *itertools.product([None], [ONE, TWO], ["before"]),
    *((version, ONE, "before") for version in kernels.PYTHONS if version == "3.14"),
]
if ALL:
    CASES = list(itertools.product(VERSIONS, [ONE, TWO], ["before", "after"]))


@pytest.fixture(params=CASES, ids=lambda case: "-".join((name(case[0]), *case[1:])))
def patched(request: pytest.FixtureRequest) -> Iterator[tuple[NotebookKernel, str]]:
    """A notebook in which one line of nest_asyncio was applied before or after tooldeck was loaded."""
    version, package, when = request.param
    with or_skip():
        notebook = NotebookKernel(version, "", paths=[kernels.package("nest-asyncio", "1.6.0")])
    try:
        for code in kernel_cells.patched(SETUP, package, when):
            notebook.run(code)
        notebook.fresh()
        yield notebook, package
    finally:
        notebook.close()


def test_calls_servers_and_limits_work_in_a_notebook_that_patches_its_loop(
    patched: tuple[NotebookKernel, str],
) -> None:
    notebook, package = patched
    for call in ("deck.call('note', text='tea')", "await deck.acall('note', text='tea')"):
        a_click_approves_and_an_interrupt_ends(notebook, call)
    a_server_works_from_cell_to_cell_and_its_limits_are_kept(notebook)
    a_server_of_the_notebook_works_or_says_why_not(notebook, package)


def a_click_approves_and_an_interrupt_ends(notebook: NotebookKernel, call: str) -> None:
    cells = [notebook.send(f"r = {call}; print(r.status)"), notebook.send("print('next')")]
    (card,) = notebook.cards(cells[0], timeout=40)
    notebook.answer(card)
    assert notebook.finish(cells[0]).text == "ok\n"
    assert notebook.finish(cells[1]).text == "next\n"
    cell = notebook.send(call)
    (card,) = notebook.cards(cell)
    notebook.interrupt()
    assert notebook.finish(cell).error == "KeyboardInterrupt"
    notebook.becomes(card, "interrupted")


def a_server_works_from_cell_to_cell_and_its_limits_are_kept(notebook: NotebookKernel) -> None:
    notebook.run(f"raw = deck.mcp.connect({RAW!r}, label='raw', reads='*', timeout=0.5)", timeout=60)
    assert notebook.run("print(deck.call('echo', {'x': 1}).value.text)").text == '{"x": 1}\n'
    assert notebook.run("print((await deck.acall('echo', {'x': 2})).value.text)").text == '{"x": 2}\n'
    start = time.monotonic()
    assert notebook.run("print(deck.call('sleep').status, deck.call('echo').status)").text == "timeout ok\n"
    assert time.monotonic() - start < 8, "the server sleeps for longer"
    assert notebook.run("deck.mcp.close('raw'); print(raw.state, sorted(deck.tools))").text == (
        "closed ['note']\n"
    )


def a_server_of_the_notebook_works_or_says_why_not(notebook: NotebookKernel, package: str) -> None:
    notebook.run(OWN, timeout=40)
    connect = "mine = deck.mcp.connect(server, reads='*')"
    if package == ONE:
        said = refused(notebook, connect)
        connect = "mine = await deck.mcp.aconnect(server, reads='*')"
        if notebook.run("import sys; print(sys.version_info >= (3, 14))").text == "True\n":
            assert "since Python 3.14 no MCP session works on a loop that it has patched" in said
            assert refused(notebook, connect) == said
            return
        assert "nest_asyncio 1.x is applied in this process" in said
        assert "await deck.mcp.aconnect(...)" in said
    notebook.run(connect, timeout=60)
    assert notebook.run("print((await deck.acall('hello')).value.text)").text == "hello\n"


def refused(notebook: NotebookKernel, code: str) -> str:
    """The one sentence that a cell ends with."""
    cell = notebook.finish(notebook.send(code), 40)
    assert cell.error == "LoopNotReentrantError"
    return cell.contents("error")[0]["evalue"]

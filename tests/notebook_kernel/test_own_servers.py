"""MCP servers and async tools that are objects of the notebook: they run on the kernel's own loop."""

from __future__ import annotations

import time

import psutil
import pytest
from notebook_kernel import NotebookKernel

SERVER = """
import ipywidgets
from typing import Annotated
from IPython.display import display
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from pydantic import BaseModel

loop, gate, queue = asyncio.get_running_loop(), asyncio.Event(), asyncio.Queue()
server = MCPServer("mine")

class Name(BaseModel):
    name: str

def ask_name() -> Elicit[Name]:
    return Elicit("Your name?", Name)

@server.tool()
async def on_our_loop() -> bool:
    return asyncio.get_running_loop() is loop

@server.tool()
async def take() -> str:
    return await queue.get()

@server.tool()
async def through_the_gate() -> str:
    print("waiting", flush=True)
    await gate.wait()
    return "through"

@server.tool()
async def forever() -> str:
    try:
        print("waiting", flush=True)
        await asyncio.sleep(3600)
    finally:
        ran.append("cancelled")

@server.tool()
async def stuck() -> str:
    print("waiting", flush=True)
    while True: time.sleep(0.01)

@server.tool()
async def hello(name: Annotated[Name, Resolve(ask_name)]) -> str:
    return f"hello {name.name}"

@server.tool()
async def steps(context: Context) -> str:
    for step in (1, 2, 3): await context.report_progress(step, 3, f"step {step}")
    return "done"

def opens(button): gate.set()
button = ipywidgets.Button(); button.on_click(opens)
await asyncio.sleep(0)
"""

CONNECT = {
    "blocking": "mine = deck.mcp.connect(server, reads=['*'])",
    "awaited": "mine = await deck.mcp.aconnect(server, reads=['*'])",
}
CALL = {"blocking": "deck.call({!r})", "awaited": "await deck.acall({!r})"}
form = pytest.mark.parametrize("form", CALL)


@pytest.fixture
def own(notebook: NotebookKernel) -> NotebookKernel:
    """A notebook with a server of its own, connected."""
    notebook.run(SERVER, timeout=40)
    notebook.run(CONNECT["blocking"], timeout=60)
    return notebook


@pytest.fixture
def own_installed(installed: NotebookKernel) -> NotebookKernel:
    """The same with the installed ipykernel only."""
    installed.run(SERVER, timeout=40)
    installed.run(CONNECT["blocking"], timeout=60)
    return installed


@pytest.mark.parametrize("connect", CONNECT)
@form
def test_its_tools_run_on_the_kernels_own_loop_however_it_is_connected_and_called(
    notebook: NotebookKernel, connect: str, form: str
) -> None:
    notebook.run(SERVER, timeout=40)
    notebook.run(CONNECT[connect], timeout=60)
    call = CALL[form].format("on_our_loop")
    assert notebook.run(f"print(({call}).value.data)").text == "{'result': True}\n"
    assert notebook.run("await queue.put('jam')\nprint(deck.call('take').value.text)").text == "jam\n"


@form
def test_a_click_sets_what_its_tool_awaits_while_the_call_runs(
    own: NotebookKernel, route: str, form: str
) -> None:
    cell = own.blocked(
        f"gate.clear(); display(button); r = {CALL[form].format('through_the_gate')}; print(r.value.text)"
    )
    queued = own.send("print('next')")
    own.click(cell.widgets[0], route)
    assert own.finish(cell).text.endswith("through\n")
    assert own.finish(queued).text == "next\n"


@form
def test_its_calls_are_approved_by_click_like_any_other(own: NotebookKernel, route: str, form: str) -> None:
    own.run("deck.mcp.close('mine'); mine = deck.mcp.connect(server)")
    cell = own.send(f"r = {CALL[form].format('on_our_loop')}; print(r.status, r.value.data)")
    (card,) = own.cards(cell)
    own.answer(card, route)
    assert own.finish(cell).text == "ok {'result': True}\n"


@form
def test_an_interrupt_cancels_its_tool_and_leaves_the_session(own: NotebookKernel, form: str) -> None:
    cell = own.blocked(CALL[form].format("forever"), widgets=0)
    own.interrupt()
    assert own.finish(cell).error == "KeyboardInterrupt"
    assert (
        own.run("print(ran, mine.state, deck.call('on_our_loop').status)").text == "['cancelled'] ready ok\n"
    )


def test_a_second_interrupt_ends_a_tool_of_it_that_never_suspends(own_installed: NotebookKernel) -> None:
    cell = own_installed.blocked("deck.call('stuck')", widgets=0)
    own_installed.interrupt()
    own_installed.listen(0.3)
    own_installed.interrupt()
    own_installed.until(lambda: cell.done, 8, lambda: str(cell))
    assert cell.error == "KeyboardInterrupt"
    assert own_installed.run("print('next')").text == "next\n"


@form
def test_a_time_limit_ends_a_call_of_it_and_leaves_the_session(
    own_installed: NotebookKernel, form: str
) -> None:
    own_installed.run("deck.mcp.close('mine'); mine = deck.mcp.connect(server, reads='*', timeout=0.3)")
    text = own_installed.run(
        f"r = {CALL[form].format('forever')}; print(r.status, 'limit of 0.3 s' in r.error)"
    ).text
    assert text == "waiting\ntimeout True\n"
    assert own_installed.run("print(ran, deck.call('on_our_loop').status)").text == "['cancelled'] ok\n"


@form
def test_its_question_appears_in_the_cell_that_waits(own: NotebookKernel, form: str) -> None:
    cell = own.send(f"r = {CALL[form].format('hello')}; print(r.status, r.value and r.value.text)")
    own.fill(cell, "Your name?", "Ada")
    assert own.finish(cell).text == "ok hello Ada\n"


@form
def test_its_progress_is_shown_in_the_cell_that_waits(own_installed: NotebookKernel, form: str) -> None:
    cell = own_installed.run(f"print(({CALL[form].format('steps')}).value.text)")
    assert cell.text == "done\n"
    (bar,) = cell.widgets
    own_installed.until(
        lambda: own_installed.models[bar]["progress"]["share"] == 1.0,
        5,
        lambda: str(own_installed.models[bar]),
    )


def test_its_tools_are_called_from_a_worker_thread_while_the_cell_waits(
    own_installed: NotebookKernel,
) -> None:
    own_installed.run(
        "@deck.tool(effects='read', timeout=30)\n"
        "def outer() -> str:\n"
        "    'Runs in a thread because of its limit.'\n"
        "    return str(deck.call('on_our_loop').value.data)"
    )
    assert own_installed.run("print(deck.call('outer').value)").text == "{'result': True}\n"


def test_closing_it_leaves_no_task_behind(own_installed: NotebookKernel) -> None:
    own_installed.run("deck.mcp.close('mine')")
    text = own_installed.run(
        "print(sorted(deck.tools), mine.state, [t for t in asyncio.all_tasks() if 'mcp' in t.get_name()])"
    ).text
    assert text == "['note'] closed []\n"


def test_a_kernel_with_such_a_session_shuts_down_in_time() -> None:
    kernel = NotebookKernel(None)
    try:
        kernel.run(SERVER, timeout=40)
        kernel.run(CONNECT["blocking"], timeout=60)
        process = psutil.Process(kernel.manager.provisioner.pid)
        start = time.monotonic()
        kernel.control("shutdown_request", {"restart": False})
        process.wait(timeout=10)
        assert time.monotonic() - start < 8
    finally:
        kernel.close()


def test_where_the_loop_cannot_be_entered_again_one_sentence_names_the_awaited_forms(
    notebook_on_uvloop: NotebookKernel,
) -> None:
    notebook = notebook_on_uvloop
    notebook.run(SERVER, timeout=40)
    refused = notebook.finish(notebook.send(CONNECT["blocking"]), 60)
    assert refused.error == "LoopNotReentrantError"
    sentence = refused.contents("error")[0]["evalue"]
    assert "uvloop.Loop" in sentence
    assert "await deck.mcp.aconnect(...)" in sentence
    notebook.run(CONNECT["awaited"], timeout=60)
    assert notebook.run("print((await deck.acall('on_our_loop')).value.data)").text == "{'result': True}\n"
    text = notebook.run("r = deck.call('on_our_loop'); print(r.status, r.error)").text
    assert text.startswith("failed the running loop is a uvloop.Loop")
    assert "await deck.acall(...)" in text
    assert notebook.run("print(deck.breaker('on_our_loop').state.failures)").text == "0\n"
    notebook.run("await deck.mcp.aclose('mine')\nprint(mine.state)")
    assert notebook.run("print(mine.state)").text == "closed\n"

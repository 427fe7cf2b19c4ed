"""A deck with the kernel's hosts: calls that wait for a person, in every form and from every place."""

from __future__ import annotations

import time

import pytest
from live_kernel import LiveKernel

SETUP = """
from tooldeck import Deck
from tooldeck.core.approval import Decision
from tooldeck.notebook.kernel.host import KernelAsyncHost, KernelHost

class Blocking(KernelHost):
    async def ask(self, request):
        return Decision(Card().ask() == "approved", by="person")

class Awaiting(KernelAsyncHost):
    async def ask(self, request):
        return Decision(await Card().ask_async() == "approved", by="person")

deck = Deck(host=Blocking(), async_host=Awaiting())

@deck.tool(ask=True)
def greet(name: str) -> str:
    "Greet."
    return f"hello {name}"

@deck.tool(effects="read")
async def slow(text: str) -> str:
    "Take a moment."
    await asyncio.sleep(0.01)
    return text

@deck.tool(effects="read")
async def stuck() -> str:
    "Take an hour, and tell whether it was cancelled."
    post(print, "waiting", place=here())
    try:
        await asyncio.sleep(3600)
    finally:
        print("cancelled", flush=True)

@deck.tool(effects="read", timeout=0.2)
async def late() -> str:
    "Take longer than allowed."
    await asyncio.sleep(3600)

@deck.tool(effects="read", timeout=30)
def napping() -> str:
    "Sleep in a worker thread."
    post(print, "waiting")
    time.sleep(0.3)
    return "rested"

@deck.tool(effects="read")
async def failing() -> str:
    "Fail."
    await asyncio.sleep(0)
    raise LookupError("mine")

async def nested():
    return deck.call("slow", text="nested").value

def in_thread(result):
    result.set_result(deck.call("slow", text="thread").value)
"""

FORMS = {"blocking": "deck.call('greet', name='Ada')", "awaited": "await deck.acall('greet', name='Ada')"}


@pytest.fixture
def deck_kernel(kernel: LiveKernel) -> LiveKernel:
    kernel.run(SETUP)
    return kernel


@pytest.mark.parametrize("form", FORMS)
def test_an_approved_call_gives_its_result(deck_kernel: LiveKernel, route: str, form: str) -> None:
    cells = [deck_kernel.send(f"print(({FORMS[form]}).value)"), deck_kernel.send("print('next')")]
    deck_kernel.shown(cells[0], widgets=2)
    deck_kernel.click(cells[0].widgets[0], route)
    assert "hello Ada" in deck_kernel.finish(cells[0]).text
    assert deck_kernel.finish(cells[1]).text == "next\n"


@pytest.mark.parametrize("form", FORMS)
def test_a_refused_call_is_denied(deck_kernel: LiveKernel, form: str) -> None:
    cell = deck_kernel.blocked(f"print(({FORMS[form]}).status)", widgets=2)
    deck_kernel.click(cell.widgets[1])
    assert "denied" in deck_kernel.finish(cell).text.lower()


@pytest.mark.parametrize("form", FORMS)
def test_an_interrupt_ends_a_call_that_waits_for_a_person(deck_kernel: LiveKernel, form: str) -> None:
    cell = deck_kernel.blocked(FORMS[form], widgets=2)
    deck_kernel.interrupt()
    assert deck_kernel.finish(cell, 15).error == "KeyboardInterrupt"


@pytest.mark.parametrize("call", ["deck.call('stuck')", "await deck.acall('stuck')"])
def test_an_interrupt_cancels_an_async_body_at_once(deck_kernel: LiveKernel, call: str) -> None:
    cell = deck_kernel.blocked(call, widgets=0)
    start = time.monotonic()
    deck_kernel.interrupt()
    assert deck_kernel.finish(cell, 15).error == "KeyboardInterrupt"
    assert cell.replied_at - start < 15
    assert "cancelled" in cell.text


def test_async_tools_answer_sync_calls_in_every_context(deck_kernel: LiveKernel) -> None:
    """In a cell, inside a coroutine, in a worker thread whose cell waits or blocks in code of its own."""
    text = deck_kernel.run(
        "print(deck.call('slow', text='cell').value)\n"
        "print(await nested())\n"
        "print((await deck.acall('slow', text='awaited')).value)\n"
        "result = Future(); threading.Thread(target=in_thread, args=[result]).start(); print(wait(result))\n"
        "result = Future(); thread = threading.Thread(target=in_thread, args=[result]); thread.start()\n"
        "thread.join(10); print(result.result(0))"
    ).text
    assert text.splitlines() == ["cell", "nested", "awaited", "thread", "thread"]


def test_an_async_tool_runs_on_the_kernels_own_loop(deck_kernel: LiveKernel) -> None:
    deck_kernel.run("event = asyncio.Event(); loop = asyncio.get_running_loop(); await asyncio.sleep(0)")
    deck_kernel.run(
        "@deck.tool(effects='read')\n"
        "async def same() -> bool:\n"
        "    'Whether it runs where top-level await runs.'\n"
        "    return asyncio.get_running_loop() is loop\n"
        "assert deck.call('same').value is True\n"
        "assert (await deck.acall('same')).value is True"
    )


@pytest.mark.parametrize("call", ["deck.call('late')", "await deck.acall('late')"])
def test_a_time_limit_ends_an_async_body(deck_kernel: LiveKernel, call: str) -> None:
    assert "timeout" in deck_kernel.run(f"print(({call}).status)").text.lower()


@pytest.mark.parametrize("call", ["deck.call('napping')", "await deck.acall('napping')"])
def test_widgets_are_alive_while_a_limited_body_runs_in_a_thread(deck_kernel: LiveKernel, call: str) -> None:
    cell = deck_kernel.blocked(
        f"clicks = []; display(Card(clicked=clicks.append).yes); print(({call}).value, len(clicks))"
    )
    deck_kernel.click(cell.widgets[0])
    assert "rested 1" in deck_kernel.finish(cell).text


@pytest.mark.parametrize("call", ["deck.call('failing')", "await deck.acall('failing')"])
def test_an_exception_of_a_body_keeps_its_type_and_place(deck_kernel: LiveKernel, call: str) -> None:
    deck_kernel.run(
        f"import traceback; error = ({call}).exception\n"
        "assert type(error) is LookupError and 'mine' in str(error)\n"
        "assert 'in failing' in ''.join(traceback.format_tb(error.__traceback__))"
    )


def test_a_blocking_wait_on_the_session_thread_is_refused(deck_kernel: LiveKernel) -> None:
    """It would wait for itself."""
    text = deck_kernel.run(
        "from tooldeck.hosts.background import background\n"
        "async def on_session_thread(): return KernelHost().block(Future())\n"
        "print(background().submit(on_session_thread).exception(5))"
    ).text
    assert "would wait for itself" in text

"""A served deck in a notebook: calls from outside run where the cells run, and ask in the server's card."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from notebook_kernel import NotebookKernel
from serve_clients import connect

TOOLS = """
import threading, time, asyncio
state = {"x": 1}
loop = asyncio.get_running_loop()
@deck.tool(effects="read")
def look() -> str:
    return f"{state['x']} {threading.current_thread() is threading.main_thread()}"
@deck.tool(effects="read")
async def mine() -> str:
    await asyncio.sleep(0)
    return str(asyncio.get_running_loop() is loop)
@deck.tool(effects="read")
def leave() -> str:
    raise SystemExit(3)
"""


@pytest.fixture
def outside() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


class Served:
    """A notebook that serves, and clients outside of it."""

    def __init__(self, notebook: NotebookKernel, pool: ThreadPoolExecutor, options: str = "") -> None:
        notebook.run(TOOLS)
        self.cell = notebook.run(f"%mcp serve {options}", timeout=40)
        url, token = notebook.run("print(deck.servings[0].url, deck.servings[0].token)").text.split()
        self.serving = SimpleNamespace(url=url, token=token)
        self.notebook, self.pool = notebook, pool

    def call(self, tool: str, **arguments: Any) -> Future[Any]:
        async def call() -> Any:
            async with connect(self.serving) as client:
                result = await client.call_tool(tool, arguments)
                return result.is_error, result.content[0].text

        return self.pool.submit(lambda: asyncio.run(call()))

    def question(self) -> str:
        """The card that waits, drawn; it comes although no cell runs."""

        def waiting() -> list[str]:
            return [one for one, state in self.notebook.models.items() if state.get("phase") == "waiting"]

        self.notebook.until(lambda: bool(waiting()), 20, lambda: "no question came")
        self.notebook.draw(waiting()[0])
        return waiting()[0]

    def end(self, call: Future[Any]) -> Any:
        self.notebook.until(call.done, 30, lambda: "no answer came")
        return call.result()


def test_bodies_run_on_the_thread_and_loop_of_the_cells(
    notebook: NotebookKernel, outside: ThreadPoolExecutor
) -> None:
    served = Served(notebook, outside)
    assert served.end(served.call("look")) == (False, "1 True")
    notebook.run("state['x'] = 2")
    assert served.end(served.call("look")) == (False, "2 True")
    assert served.end(served.call("mine")) == (False, "True")
    failed, text = served.end(served.call("leave"))
    assert failed
    assert "end the program" in text
    assert notebook.run("%mcp serve stop").text == "Nothing is served any more.\n"


def test_a_cell_that_is_its_own_client_does_not_wait_for_itself(
    notebook: NotebookKernel, outside: ThreadPoolExecutor
) -> None:
    Served(notebook, outside)
    notebook.run(
        "one = deck.servings[0]; head = {'Authorization': f'Bearer {one.token}'}\n"
        "me = deck.mcp.connect(one.url, label='me', reads='*', headers=head)",
        timeout=40,
    )
    assert notebook.run("print(deck.call(me['look']).value.text)").text == "1 True\n"
    assert notebook.run("print(deck.call(me['mine']).value.text)").text == "True\n"
    assert notebook.run("print((await deck.acall(me['look'])).value.text)").text == "1 True\n"
    notebook.run("deck.close()", timeout=20)


def test_a_question_is_put_into_the_card_of_the_server_and_answered_there(
    notebook: NotebookKernel, outside: ThreadPoolExecutor
) -> None:
    served = Served(notebook, outside, "--allow note")
    call = served.call("note", text="hi")
    card = served.question()
    asked = "".join(piece for piece, _ in notebook.models[card]["question"]["asked"])
    assert "MCP client" in asked
    notebook.answer(card)
    failed, _ = served.end(call)
    assert not failed
    notebook.becomes(card, "approved")
    denied = served.call("note", text="no")
    card = served.question()
    notebook.answer(card, approve=False)
    failed, text = served.end(denied)
    assert failed
    assert "refused by you" in text
    notebook.run("deck.servings[0].stop()", timeout=20)


def test_a_question_comes_into_the_cell_that_waits(
    notebook: NotebookKernel, outside: ThreadPoolExecutor
) -> None:
    served = Served(notebook, outside, "--allow note")
    cell = notebook.send("deck.call('note', text='mine')")
    (own,) = notebook.cards(cell)
    call = served.call("note", text="theirs")
    notebook.until(lambda: len(cell.widgets) == 2, 20, lambda: f"no second card: {cell}")
    own, theirs = notebook.cards(cell, 2)
    notebook.answer(theirs)
    assert served.end(call) == (False, "noted theirs")
    notebook.answer(own)
    assert notebook.finish(cell).status == "ok"

"""Many calls at once from a cell: where they print, how they ask, and what an interrupt does to them."""

from __future__ import annotations

import pytest
from notebook_kernel import NotebookKernel

MANY = {"blocking": "deck.call_many({})", "awaited": "await deck.acall_many({})"}
form = pytest.mark.parametrize("form", MANY)

TOOLS = """
@deck.tool(effects="read")
def look(n: int) -> int:
    "Look."
    print(f"looking at {n}\\n", end="")  # in one piece: print alone writes its newline apart
    return n

@deck.tool(effects="read")
def spin(n: int) -> None:
    "Spin."
    print(f"began {n}")
    try:
        while True: time.sleep(0.01)
    finally:
        ran.append(f"ended {n}")

@deck.tool(effects="read")
async def nap(n: int) -> None:
    "Nap."
    print(f"began {n}")
    try:
        await asyncio.sleep(60)
    finally:
        ran.append(f"ended {n}")
"""


@pytest.fixture
def tools(notebook: NotebookKernel) -> NotebookKernel:
    notebook.run(TOOLS)
    return notebook


@form
def test_what_calls_print_lands_in_the_cell_that_makes_them(tools: NotebookKernel, form: str) -> None:
    calls = '[("look", {"n": n}) for n in range(4)]'
    cell = tools.run(f"results = {MANY[form].format(calls)}; print([r.value for r in results])")
    *looked, results = cell.text.splitlines()
    assert sorted(looked) == [f"looking at {n}" for n in range(4)]
    assert results == "[0, 1, 2, 3]"


@form
def test_calls_that_run_at_once_ask_at_once_and_each_is_answered(tools: NotebookKernel, form: str) -> None:
    tools.run('deck.policy.ask("look")')
    calls = '[("look", {"n": n}) for n in range(3)]'
    cell = tools.send(f"results = {MANY[form].format(calls)}; print([str(r.status) for r in results])")
    cards = tools.cards(cell, 3)
    shown = {card: str(tools.models[card]["question"]["arguments"]) for card in cards}
    by_argument = {number: card for card, text in shown.items() for number in "012" if number in text}
    for number in ("2", "0", "1"):
        tools.answer(by_argument[number], approve=number != "1")
    assert tools.finish(cell).text.splitlines()[-1] == "['ok', 'denied', 'ok']"


@pytest.mark.parametrize("tool", ["spin", "nap"])
@form
def test_an_interrupt_ends_every_call_of_the_batch(tools: NotebookKernel, form: str, tool: str) -> None:
    calls = f'[("{tool}", {{"n": n}}) for n in range(3)] + [("note", {{"text": "never"}})]'
    cell = tools.send(f'deck.policy.allow("note"); {MANY[form].format(calls)}')
    tools.until(lambda: cell.text.count("began") == 3, 10, lambda: f"{cell}")
    tools.interrupt()
    assert tools.finish(cell).error in {"KeyboardInterrupt", "CancelledError"}
    assert tools.run("print(sorted(ran))").text == "['ended 0', 'ended 1', 'ended 2']\n"
    assert tools.run("print({str(r.status) for r in deck.history()[-3:]})").text == "{'cancelled'}\n"

"""Cells that await: clicks are heard on every ipykernel, and an interrupt ends them at once."""

from __future__ import annotations

import time

import pytest
from live_kernel import LiveKernel

ASK = "print(await Card().ask_async())"


@pytest.mark.pythons
def test_a_click_resumes_the_awaiting_cell(kernel: LiveKernel, route: str) -> None:
    cell = kernel.blocked(ASK, widgets=2)
    kernel.click(cell.widgets[0], route)
    assert "approved" in kernel.finish(cell).text


def test_a_click_resumes_a_task_that_the_cell_gathered(kernel: LiveKernel) -> None:
    cell = kernel.blocked(
        "one, two = Card(), Card()\nprint(await asyncio.gather(one.ask_async(), two.ask_async()))", widgets=4
    )
    kernel.shown(cell, widgets=4, waiting=2)
    kernel.click(cell.widgets[0])
    kernel.click(cell.widgets[3])
    assert "['approved', 'denied']" in kernel.finish(cell).text


@pytest.mark.pythons
def test_an_interrupt_ends_the_awaiting_cell_at_once(kernel: LiveKernel) -> None:
    cell = kernel.blocked(ASK, widgets=2)
    start = time.monotonic()
    kernel.interrupt()
    assert kernel.finish(cell, 15).error == "KeyboardInterrupt"
    assert cell.replied_at - start < 15
    assert "after" in kernel.run("print('after')").text


@pytest.mark.pythons
def test_an_interrupt_ends_a_gathering_cell_at_once(kernel: LiveKernel) -> None:
    cell = kernel.blocked("await asyncio.gather(Card().ask_async(), Card().ask_async())", widgets=4)
    kernel.shown(cell, widgets=4, waiting=2)
    kernel.interrupt()
    assert kernel.finish(cell, 15).error in {"KeyboardInterrupt", "CancelledError"}
    assert "after" in kernel.run("print('after')").text


def test_an_interrupt_cancels_whatever_is_attended(kernel: LiveKernel) -> None:
    kernel.run("async def long():\n    try: await asyncio.sleep(60)\n    finally: print('cleaned up')")
    cell = kernel.blocked("post(print, 'waiting', place=here()); await attend(long())", widgets=0)
    kernel.interrupt()
    assert kernel.finish(cell, 15).error == "KeyboardInterrupt"
    assert "cleaned up" in cell.text


def test_a_second_interrupt_ends_code_that_never_suspends(kernel: LiveKernel) -> None:
    kernel.run("async def stuck():\n    print('stuck', flush=True)\n    while True: time.sleep(0.01)")
    cell = kernel.send("await attend(stuck())")
    kernel.until(lambda: "stuck" in cell.text, 5, lambda: str(cell))
    kernel.interrupt()
    kernel.listen(0.3)
    kernel.interrupt()
    assert kernel.finish(cell, 15).error == "KeyboardInterrupt"


def test_an_awaiting_pause_can_be_interrupted(kernel: LiveKernel) -> None:
    cell = kernel.blocked("post(print, 'waiting', place=here()); await pause_async(60)", widgets=0)
    kernel.interrupt()
    assert kernel.finish(cell, 15).error == "KeyboardInterrupt"


def test_a_sync_wait_inside_a_coroutine_hears_its_widgets(kernel: LiveKernel, route: str) -> None:
    kernel.run("async def outer():\n    return Card().ask()")
    cell = kernel.blocked("print(await outer())", widgets=2)
    kernel.click(cell.widgets[0], route)
    assert "approved" in kernel.finish(cell).text
    cell = kernel.blocked("print(await outer())", widgets=2)
    kernel.interrupt()
    assert kernel.finish(cell, 15).error == "KeyboardInterrupt"


def test_cells_queued_behind_an_awaiting_one_run_after_it_in_order(kernel: LiveKernel, route: str) -> None:
    cell = kernel.blocked(ASK, widgets=2)
    queued = [kernel.send(f"print({n})") for n in range(3)]
    kernel.click(cell.widgets[0], route)
    for each in (cell, *queued):
        kernel.finish(each)
    assert [each.text for each in queued] == ["0\n", "1\n", "2\n"]


def test_a_slider_moved_while_the_cell_awaits_works_then_and_afterwards(kernel: LiveKernel) -> None:
    kernel.run("moves = []")
    cell = kernel.blocked(
        "slider = ipywidgets.IntSlider(); slider.observe(lambda c: moves.append(c.new), 'value')\n"
        "display(slider); await Card().ask_async()",
        widgets=3,
    )
    for value in range(1, 26):
        move = kernel.set(cell.widgets[0], value=value)
        kernel.until(lambda: move.states == ["busy", "idle"], 5, lambda: f"no idle for {move}")  # noqa: B023
    kernel.click(cell.widgets[1])
    kernel.finish(cell)
    move = kernel.set(cell.widgets[0], value=50)
    kernel.until(lambda: move.states == ["busy", "idle"], 5, lambda: str(move))
    assert kernel.run("print(moves)").text == f"{[*range(1, 26), 50]}\n"


def test_a_task_that_outlives_its_cell_leaves_clicks_to_the_idle_kernel(kernel: LiveKernel) -> None:
    cell = kernel.run(
        "clicks = []; other = Card(clicked=clicks.append)\n"
        "left = Future(); task = asyncio.ensure_future(wait_async(left)); await asyncio.sleep(0.05)\n"
        "display(other.yes)"
    )
    click = kernel.click(cell.widgets[0])
    kernel.until(lambda: click.states == ["busy", "idle"], 5, lambda: str(click))
    assert cell.states[-1] == "idle", "the cell must not look busy again"
    assert "1 True" in kernel.run("left.set_result(7); print(len(clicks), await task == 7)").text


@pytest.mark.parametrize("ending", ["result", "exception", "timeout"])
def test_an_awaited_future_gives_what_it_holds(kernel: LiveKernel, ending: str) -> None:
    kernel.run(
        {
            "result": "f = Future(); threading.Timer(0.05, f.set_result, [3]).start()\n"
            "assert await wait_async(f) == 3",
            "exception": "f = Future(); threading.Timer(0.05, f.set_exception, [KeyError()]).start()\n"
            "try: await wait_async(f)\nexcept KeyError: pass\nelse: assert False",
            "timeout": "f = Future()\ntry: await wait_async(f, 0.1)\nexcept TimeoutError: pass\n"
            "else: assert False\nassert not f.done()",
        }[ending]
    )

"""Waits inside waits, cards of an idle kernel, and work that comes from other threads."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel

NESTED = """
inner = []
def ask_again(button):
    card = Card(note="waiting inside")
    inner.append(card)
    print("inner", card.ask(), flush=True)
outer = Card(clicked=ask_again)
print("outer", outer.ask())
"""


@pytest.mark.parametrize("form", ["wait(one)", "await wait_async(one)", "run_here(wait_async(one))"])
def test_clicks_that_come_in_the_gap_between_two_waits_are_heard_by_the_next(
    kernel: LiveKernel, form: str
) -> None:
    """Given back to the kernel in the gap, a click would lie behind the very cell that waits for it."""
    kernel.run(
        "futures = [Future() for _ in range(60)]; left = iter(futures)\n"
        "click = lambda button: next(left).set_result(1)"
    )
    cell = kernel.blocked(
        f"display(Card(clicked=click).yes); post(print, 'waiting', place=here())\nfor one in futures: {form}"
    )
    for number in range(60):
        kernel.click(cell.widgets[0])
        if number % 3:
            kernel.listen(0.001 * (number % 7))
    assert kernel.finish(cell).status == "ok"


def test_a_callback_may_ask_again(kernel: LiveKernel) -> None:
    cell = kernel.blocked(NESTED, widgets=2)
    kernel.click(cell.widgets[0])
    kernel.shown(cell, widgets=4, waiting=2)
    kernel.click(cell.widgets[2])
    kernel.until(lambda: "inner approved" in cell.text, 5, lambda: str(cell))
    assert not cell.done
    kernel.click(cell.widgets[1])
    assert "outer denied" in kernel.finish(cell).text


def test_an_outer_answer_counts_once_the_inner_question_is_answered(kernel: LiveKernel) -> None:
    cell = kernel.blocked(NESTED, widgets=2)
    kernel.click(cell.widgets[0])
    kernel.shown(cell, widgets=4, waiting=2)
    kernel.click(cell.widgets[1])
    kernel.click(cell.widgets[2])
    kernel.finish(cell)
    assert cell.text.index("inner approved") < cell.text.index("outer denied")


def test_an_interrupt_ends_inner_and_outer_wait(kernel: LiveKernel) -> None:
    cell = kernel.blocked(NESTED, widgets=2)
    kernel.click(cell.widgets[0])
    kernel.shown(cell, widgets=4, waiting=2)
    kernel.interrupt()
    assert kernel.finish(cell, 15).error == "KeyboardInterrupt"
    assert "interrupted interrupted" in kernel.run("print(inner[0].state, outer.state)").text


def test_a_callback_of_the_idle_kernel_asks_in_a_tray(kernel: LiveKernel) -> None:
    """It has no cell to display in, so the card joins a box that is on display already."""
    cell = kernel.run(
        "tray = ipywidgets.VBox(); answers = []\n"
        "def ask(button):\n"
        "    card = Card()\n"
        "    tray.children += (card.yes, card.no)\n"
        "    answers.append(wait(card.answer))\n"
        "start = Card(clicked=ask); display(start.yes); display(tray)"
    )
    kernel.click(cell.widgets[0])
    tray = cell.widgets[1]
    kernel.until(lambda: bool(_children(kernel, tray)), 5, lambda: "no card in the tray")
    kernel.click(_children(kernel, tray)[0])
    assert "['approved']" in kernel.run("print(answers)").text


def _children(kernel: LiveKernel, tray: str) -> list[str]:
    """What the front end was told about the tray last."""
    found: list[str] = []
    for each in kernel.cells.values():
        for content in each.contents("comm_msg"):
            state = content["data"].get("state", {})
            if content["comm_id"] == tray and state.get("children"):
                found = [name.removeprefix("IPY_MODEL_") for name in state["children"]]
    if not found:
        kernel.listen(0.05)
    return found


def test_a_card_posted_by_another_thread_is_displayed_in_the_waiting_cell(kernel: LiveKernel) -> None:
    kernel.run(
        "def ask_from_a_thread(result):\n"
        "    card = Card()\n"
        "    post(card.show).result(5)\n"
        "    on_main = threading.current_thread() is threading.main_thread()\n"
        "    result.set_result((card.answer.result(20), on_main))\n"
        "def ask():\n"
        "    result = Future()\n"
        "    threading.Thread(target=ask_from_a_thread, args=[result]).start()\n"
        "    return wait(result)"
    )
    cell = kernel.blocked("print(ask())", widgets=2)
    kernel.click(cell.widgets[0])
    assert "('approved', False)" in kernel.finish(cell).text


def test_posted_work_runs_in_the_idle_kernel_when_nobody_waits(kernel: LiveKernel) -> None:
    kernel.run(
        "ran = []; job = post(lambda: ran.append(threading.current_thread() is threading.main_thread()))"
    )
    kernel.until(lambda: "[True]" in kernel.run("print(ran, job.done())").text, 5, lambda: "it did not run")


def test_posted_work_that_fails_tells_only_whoever_posted_it(kernel: LiveKernel) -> None:
    kernel.run(
        "done = Future()\n"
        "def thread():\n"
        "    job = post(lambda: 1 / 0)\n"
        "    done.set_result(type(job.exception(5)).__name__)\n"
        "threading.Thread(target=thread).start()\n"
        "assert wait(done) == 'ZeroDivisionError'"
    )


def test_an_interrupt_inside_posted_work_ends_the_wait(kernel: LiveKernel) -> None:
    cell = kernel.send(
        "def slow():\n    print('working', flush=True); time.sleep(20)\n"
        "job = post(slow, place=here()); wait(Future())"
    )
    kernel.until(lambda: "working" in cell.text, 5, lambda: str(cell))
    kernel.interrupt()
    assert kernel.finish(cell, 15).error == "KeyboardInterrupt"
    assert "KeyboardInterrupt" in kernel.run("print(type(job.exception(0)).__name__)").text

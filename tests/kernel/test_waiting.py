"""A blocked cell hears its widgets, loses nothing that is queued behind it, and can be interrupted."""

from __future__ import annotations

import time

import pytest
from live_kernel import SUBSHELL, Cell, LiveKernel

ASK = "print(Card().ask())"


@pytest.mark.pythons
def test_a_click_resumes_the_blocked_cell(kernel: LiveKernel, route: str) -> None:
    cell = kernel.blocked(ASK, widgets=2)
    kernel.click(cell.widgets[0], route)
    assert kernel.finish(cell).status == "ok"
    assert "approved" in cell.text


@pytest.mark.pythons
def test_the_other_button_gives_the_other_answer(kernel: LiveKernel, route: str) -> None:
    cell = kernel.blocked(ASK, widgets=2)
    kernel.click(cell.widgets[1], route)
    assert "denied" in kernel.finish(cell).text


@pytest.mark.pythons
def test_a_click_is_heard_within_a_quarter_of_a_second(kernel: LiveKernel, route: str) -> None:
    def once() -> float:
        cell = kernel.blocked(ASK, widgets=2)
        start = time.monotonic()
        kernel.click(cell.widgets[0], route)
        return kernel.finish(cell).replied_at - start

    assert min(once() for _ in range(4)) < 0.25


def test_the_click_is_told_busy_and_idle_and_the_cell_stays_busy(kernel: LiveKernel) -> None:
    cell = kernel.blocked("card = Card(clicked=lambda b: print('clicked')); card.ask()", widgets=2)
    click = kernel.click(cell.widgets[0])
    kernel.until(lambda: click.states == ["busy", "idle"], 5, lambda: str(click))
    assert "clicked" in cell.text, "what a callback prints belongs to the blocked cell"
    assert cell.states[-1] == "busy"
    kernel.click(cell.widgets[1])
    assert kernel.finish(cell).status == "ok"


def test_figures_shown_after_a_callback_land_in_the_cell(kernel: LiveKernel) -> None:
    kernel.run(
        "ip = get_ipython()\n"
        "show = lambda: display('a figure', metadata={'figure': True})\n"
        "ip.events.register('post_execute', show)"
    )
    cell = kernel.blocked("card = Card(clicked=lambda b: None); card.ask()", widgets=2)
    kernel.click(cell.widgets[0])
    kernel.until(
        lambda: any("a figure" in str(content["data"]) for content in cell.contents("display_data")),
        5,
        lambda: str(cell),
    )
    kernel.click(cell.widgets[1])
    kernel.finish(cell)
    kernel.run("ip.events.unregister('post_execute', show)")


@pytest.mark.pythons
def test_an_interrupt_ends_the_wait(kernel: LiveKernel, route: str) -> None:
    cell = kernel.blocked("card = Card(); card.ask()", widgets=2)
    start = time.monotonic()
    kernel.interrupt()
    assert kernel.finish(cell).error == "KeyboardInterrupt"
    assert cell.replied_at - start < 15
    assert "interrupted" in kernel.run("print(card.state)").text


@pytest.mark.pythons
def test_two_interrupts_in_a_row_end_one_cell(kernel: LiveKernel) -> None:
    """The second may hit IPython while it formats the traceback, and then that is what is lost."""
    cell = kernel.blocked(ASK, widgets=2)
    kernel.interrupt()
    kernel.interrupt()
    kernel.until(lambda: cell.states[-1] == "idle", 5, lambda: str(cell))
    assert cell.status != "ok"
    kernel.until(lambda: kernel.finish(kernel.send("pass")).status == "ok", 5, lambda: "no later cell runs")


@pytest.mark.pythons
@pytest.mark.parametrize("swallow", [False, True], ids=["raised", "swallowed"])
def test_an_interrupt_inside_a_callback_ends_the_wait(kernel: LiveKernel, swallow: bool) -> None:
    kernel.run(
        "def slow(button):\n"
        "    print('in the callback', flush=True)\n"
        "    try:\n"
        "        time.sleep(20)\n"
        "    except KeyboardInterrupt:\n"
        f"        if not {swallow}: raise\n"
    )
    cell = kernel.blocked("Card(clicked=slow).ask()", widgets=2)
    kernel.click(cell.widgets[0])
    kernel.until(lambda: "in the callback" in cell.text, 5, lambda: str(cell))
    kernel.interrupt()
    assert kernel.finish(cell, 15).error == "KeyboardInterrupt"


@pytest.mark.pythons
def test_cells_queued_behind_a_blocked_one_run_after_it_in_order(kernel: LiveKernel, route: str) -> None:
    cell = kernel.blocked(ASK, widgets=2)
    queued = [kernel.send(f"print('queued', {n})") for n in range(3)]
    probe = kernel.request("complete_request", {"code": "prin", "cursor_pos": 4})
    kernel.listen(0.1)
    assert not any(later.messages or later.reply for later in queued), "none may start early"
    kernel.click(cell.widgets[0], route)
    for each in (cell, *queued, probe):
        kernel.finish(each)
    assert [later.text for later in queued] == [f"queued {n}\n" for n in range(3)]
    assert [name for name in kernel.order if name in _ids(cell, *queued, probe)] == _ids(cell, *queued, probe)


@pytest.mark.pythons
def test_run_all_with_two_approvals_runs_every_cell_in_order(kernel: LiveKernel, route: str) -> None:
    codes = ["print(1)", ASK, "print(2)", ASK, "print(3)"]
    cells = [kernel.send(code) for code in codes]
    for card in (cells[1], cells[3]):
        kernel.shown(card, widgets=2)
        kernel.click(card.widgets[0], route)
    for cell in cells:
        assert kernel.finish(cell).status == "ok"
    assert [cell.text for cell in cells[::2]] == ["1\n", "2\n", "3\n"]
    assert [name for name in kernel.order if name in _ids(*cells)] == _ids(*cells)


@pytest.mark.pythons
def test_an_interrupt_in_the_middle_of_run_all_aborts_the_rest(kernel: LiveKernel) -> None:
    cells = [kernel.send(code) for code in ["print(1)", ASK, "print(2)", "print(3)"]]
    kernel.shown(cells[1], widgets=2)
    kernel.interrupt()
    for cell in cells:
        kernel.finish(cell)
    assert [cell.status for cell in cells] == ["ok", "error", "aborted", "aborted"]


def test_a_slider_moved_while_the_cell_waits_works_then_and_later(kernel: LiveKernel, route: str) -> None:
    """The front end sends nothing more until the idle of its last message, so idle keeps it alive."""
    kernel.run("moves = []")
    cell = kernel.blocked(
        "slider = ipywidgets.IntSlider(); slider.observe(lambda c: moves.append(c.new), 'value')\n"
        "display(slider); Card().ask()",
        widgets=3,
    )
    for value in range(1, 26):
        move = kernel.set(cell.widgets[0], route, value=value)
        kernel.until(lambda: move.states == ["busy", "idle"], 5, lambda: f"no idle for {move}")  # noqa: B023
    kernel.click(cell.widgets[1], route)
    kernel.finish(cell)
    move = kernel.set(cell.widgets[0], route, value=50)
    kernel.until(lambda: move.states == ["busy", "idle"], 5, lambda: str(move))
    assert kernel.run("print(moves)").text == f"{[*range(1, 26), 50]}\n"


def test_a_reloading_page_is_answered_while_the_cell_waits(kernel: LiveKernel) -> None:
    cell = kernel.blocked(ASK, widgets=2)
    info = kernel.finish(kernel.request("kernel_info_request", {}), 5)
    comms = kernel.finish(kernel.request("comm_info_request", {"target_name": "jupyter.widget"}), 5)
    assert info.reply is not None
    assert info.reply["implementation"] == "ipython"
    assert comms.reply is not None
    assert set(cell.widgets) <= set(comms.reply["comms"])
    assert not cell.done
    completion = kernel.request("complete_request", {"code": "prin", "cursor_pos": 4})
    kernel.click(cell.widgets[0])
    kernel.finish(cell)
    assert kernel.finish(completion).status == "ok"


def test_a_cell_in_a_subshell_hears_its_widgets_too(kernel: LiveKernel) -> None:
    if not kernel.has_subshells:
        pytest.skip("ipykernel 6 has no subshells")
    cell = kernel.blocked(ASK, widgets=2, shell=SUBSHELL)
    assert "main is free" in kernel.run("print('main is free')").text
    kernel.click(cell.widgets[0], SUBSHELL)
    assert "approved" in kernel.finish(cell).text


def test_a_wait_ends_with_what_the_future_holds_or_when_time_is_over(kernel: LiveKernel) -> None:
    kernel.run(
        "late = Future()\n"
        "start = time.monotonic()\n"
        "try: wait(late, 0.2)\n"
        "except TimeoutError as error: assert 'within 0.2 s' in str(error), error\n"
        "else: assert False\n"
        "assert 0.2 <= time.monotonic() - start < 2\n"
        "assert not late.done(), 'the future is left alone'\n"
        "bad = Future(); threading.Timer(0.1, bad.set_exception, [LookupError('mine')]).start()\n"
        "try: wait(bad)\n"
        "except LookupError as error: assert str(error) == 'mine'\n"
        "else: assert False"
    )


def test_a_pause_is_a_sleep_with_live_widgets(kernel: LiveKernel) -> None:
    kernel.run("clicks = []")
    cell = kernel.blocked(
        "Card(clicked=clicks.append).show(); start = time.monotonic(); pause(0.6); "
        "print(0.6 <= time.monotonic() - start < 3, len(clicks))",
        widgets=2,
    )
    kernel.click(cell.widgets[0])
    assert kernel.finish(cell).text == "waiting\nTrue 1\n"


def test_an_interrupt_ends_a_pause(kernel: LiveKernel) -> None:
    cell = kernel.send("post(print, 'waiting', place=here()); pause(60)")
    kernel.shown(cell, widgets=0)
    kernel.interrupt()
    assert kernel.finish(cell).error == "KeyboardInterrupt"


def _ids(*cells: Cell) -> list[str]:
    return [cell.id for cell in cells]

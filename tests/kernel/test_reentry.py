"""Coroutines of the kernel's own loop, run from blocking code."""

from __future__ import annotations

import re

import pytest
from live_kernel import LiveKernel

ASK = "print(run_here(Card().on_loop()))"


@pytest.mark.pythons
def test_a_coroutine_of_the_kernels_loop_runs_in_a_blocking_cell(kernel: LiveKernel, route: str) -> None:
    cell = kernel.blocked(ASK, widgets=2)
    kernel.click(cell.widgets[0], route)
    assert "approved" in kernel.finish(cell).text


def test_cells_queued_behind_a_nested_run_run_after_it_in_order(kernel: LiveKernel) -> None:
    cells = [kernel.send(code) for code in [ASK, "print(1)", ASK, "print(2)"]]
    for card in cells[::2]:
        kernel.shown(card, widgets=2)
        kernel.click(card.widgets[0])
    for cell in cells:
        assert kernel.finish(cell).status == "ok"
    assert [cell.text for cell in cells[1::2]] == ["1\n", "2\n"]
    ids = [cell.id for cell in cells]
    assert [name for name in kernel.order if name in ids] == ids


@pytest.mark.pythons
def test_the_first_nested_run_leaves_the_kernel_alive_when_it_runs_what_came_with_the_cell(
    kernel: LiveKernel,
) -> None:
    kernel.restart()
    kernel.run(
        "ran = []\n"
        "def nested(): ran.append(run_here(asyncio.sleep(0.01, 'nested')))\n"
        "loop = asyncio.get_running_loop()\n"
        "for each in (nested, lambda: ran.append(1), lambda: ran.append(2)): loop.call_soon(each)"
    )
    after = kernel.run("while len(ran) < 3: await asyncio.sleep(0.01)\nprint(ran)")
    assert after.text == "[1, 2, 'nested']\n"


@pytest.mark.pythons
def test_an_interrupt_cancels_the_coroutine_and_aborts_run_all(kernel: LiveKernel) -> None:
    kernel.run(
        "async def long():\n"
        "    post(print, 'waiting', place=here())\n"
        "    try: await asyncio.sleep(60)\n"
        "    finally: print('cleaned up')"
    )
    cells = [kernel.send(code) for code in ["run_here(long())", "print(1)"]]
    kernel.shown(cells[0], widgets=0)
    kernel.interrupt()
    for cell in cells:
        kernel.finish(cell, 15)
    assert cells[0].error == "KeyboardInterrupt"
    assert "cleaned up" in cells[0].text
    assert cells[1].status == "aborted"
    assert "after" in kernel.run("print('after')").text


def test_an_interrupt_ends_a_coroutine_that_never_suspends(kernel: LiveKernel) -> None:
    kernel.run("async def stuck():\n    print('stuck', flush=True)\n    while True: time.sleep(0.01)")
    cell = kernel.send("run_here(stuck())")
    kernel.until(lambda: "stuck" in cell.text, 5, lambda: str(cell))
    kernel.interrupt()
    assert kernel.finish(cell, 15).error == "KeyboardInterrupt"


def test_objects_made_by_top_level_await_work_from_blocking_code(kernel: LiveKernel) -> None:
    kernel.run("lock = asyncio.Lock(); await lock.acquire()\nqueue = asyncio.Queue(); await queue.put(5)")
    assert "5" in kernel.run("print(run_here(queue.get()))").text
    kernel.run("lock.release()\nasync def use():\n    async with lock: return 6")
    assert "6" in kernel.run("print(run_here(use()))").text


@pytest.mark.pythons
def test_nested_runs_keep_task_bookkeeping_and_time_limits_right(kernel: LiveKernel) -> None:
    kernel.run(
        "import anyio\n"
        "async def inside():\n"
        "    assert isinstance(asyncio.current_task(), asyncio.Task)\n"
        "    with anyio.move_on_after(0.1) as scope: await anyio.sleep(5)\n"
        "    assert scope.cancelled_caught\n"
        "    try:\n"
        "        async with asyncio.timeout(0.1): await asyncio.sleep(5)\n"
        "    except TimeoutError: return 'in time'\n"
        "async def outside():\n"
        "    me = asyncio.current_task()\n"
        "    got = run_here(inside())\n"
        "    assert asyncio.current_task() is me\n"
        "    async with anyio.create_task_group() as group: group.start_soon(anyio.sleep, 0.01)\n"
        "    return got\n"
        "assert await outside() == 'in time'\n"
    )
    kernel.run("assert run_here(inside()) == 'in time'")


def test_an_exception_of_the_coroutine_comes_through_as_it_is(kernel: LiveKernel) -> None:
    cell = kernel.send(
        "async def fail():\n    await asyncio.sleep(0.01); raise LookupError('mine')\nrun_here(fail())"
    )
    assert kernel.finish(cell).error == "LookupError"
    trace = re.sub(r"\x1b\[[0-9;]*m", "", "".join(cell.contents("error")[0]["traceback"]))
    assert "in fail" in trace


def test_loading_patches_nothing_until_a_nested_run_is_needed(kernel: LiveKernel) -> None:
    kernel.restart()
    kernel.run(
        "assert not hasattr(asyncio, '_nest_patched')\n"
        "f = Future(); threading.Timer(0.05, f.set_result, [1]).start(); wait(f)\n"
        "f = Future(); threading.Timer(0.05, f.set_result, [1]).start(); await wait_async(f)\n"
        "assert not hasattr(asyncio, '_nest_patched') and asyncio.run.__module__ == 'asyncio.runners'\n"
    )
    kernel.run("run_here(asyncio.sleep(0))\nassert hasattr(asyncio, '_nest_asyncio2')")


def test_a_worker_thread_runs_its_coroutine_on_the_loop_of_the_waiting_cell(kernel: LiveKernel) -> None:
    kernel.run(
        "async def where(): return threading.current_thread() is threading.main_thread()\n"
        "def work(result): result.set_result(run_here(where()))"
    )
    start = "result = Future(); thread = threading.Thread(target=work, args=[result]); thread.start()\n"
    assert "True" in kernel.run(f"{start}print(wait(result))").text
    assert "False" in kernel.run(f"{start}thread.join(5); print(result.result(0))").text, (
        "a cell that blocks in code of its own cannot be used, and must not be waited for"
    )


def test_the_loop_of_another_thread_is_refused(kernel: LiveKernel) -> None:
    kernel.run(
        "async def nested(): run_here(asyncio.sleep(0))\n"
        "def thread(result):\n"
        "    try: asyncio.run(nested())\n"
        "    except Exception as error: result.set_result(f'{type(error).__name__}: {error}')\n"
        "result = Future(); threading.Thread(target=thread, args=[result], name='mine').start()"
    )
    text = kernel.run("print(wait(result, 5))").text
    assert "LoopNotReentrantError" in text
    assert "'mine'" in text


def test_on_uvloop_waits_work_and_nested_runs_are_refused(kernel_on_uvloop: LiveKernel) -> None:
    kernel = kernel_on_uvloop
    assert "uvloop" in kernel.run("print(type(asyncio.get_running_loop()))\nawait asyncio.sleep(0)").text
    refused = kernel.finish(kernel.send(ASK))
    assert refused.error == "LoopNotReentrantError"
    assert "uvloop.Loop" in refused.contents("error")[0]["evalue"]
    for code in ("print(Card().ask())", "print(await Card().ask_async())"):
        cell = kernel.blocked(code, widgets=2)
        kernel.click(cell.widgets[0])
        assert "approved" in kernel.finish(cell).text
        cell = kernel.blocked(code, widgets=2)
        kernel.interrupt()
        assert kernel.finish(cell, 15).error == "KeyboardInterrupt"
    kernel.run(
        "from tooldeck import Deck\nfrom tooldeck.notebook.kernel.host import KernelAsyncHost, KernelHost\n"
        "deck = Deck(host=KernelHost(), async_host=KernelAsyncHost())\n"
        "async def slow() -> int:\n    'Take a moment.'\n    await asyncio.sleep(0.01); return 5\n"
        "deck.add(slow, effects='read')\n"
        "assert deck.call('slow').value == 5, 'it runs on the session thread instead'\n"
        "assert (await deck.acall('slow')).value == 5\n"
        "def in_thread(result): result.set_result(deck.call('slow').value)\n"
        "result = Future(); threading.Thread(target=in_thread, args=[result]).start()\n"
        "assert wait(result, 9) == 5, 'nor can the waiting cell take it'"
    )

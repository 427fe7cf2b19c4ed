"""nest_asyncio applied by the user, either line of it, before tooldeck is loaded or after.

Nothing is lost either way; version 1 alone rules out nested runs, and says so.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import kernel_cells
import pytest
from kernel_cells import ALL, ONE, SETUP, TWO, VERSIONS
from kernel_pool import name, or_skip
from live_kernel import LiveKernel
from rig import kernels

BLOCKING, AWAITED, NESTED = (
    "print(Card().ask())",
    "print(await Card().ask_async())",
    "print(run_here(Card().on_loop()))",
)

# Each kernel with each package, and each package both before and after; the rest only where all is asked for.
CASES = [
    (None, ONE, "before"),
    (None, TWO, "after"),
    ("6.30.1", ONE, "after"),
    ("6.30.1", TWO, "before"),
    *((version, ONE, "before") for version in kernels.PYTHONS),
]
if ALL:
    CASES = list(itertools.product(VERSIONS, [ONE, TWO], ["before", "after"]))


@pytest.fixture(params=CASES, ids=lambda case: "-".join((name(case[0]), *case[1:])))
def patched(request: pytest.FixtureRequest) -> Iterator[tuple[LiveKernel, str]]:
    """A kernel in which one line of nest_asyncio was applied before or after tooldeck was loaded."""
    version, package, when = request.param
    with or_skip():
        kernel = LiveKernel(version, "", kernels.package("nest-asyncio", "1.6.0"))
    try:
        for code in kernel_cells.patched(SETUP, package, when):
            kernel.run(code)
        kernel.finish(kernel.send("1 / 0"), 30)  # the first traceback takes a while, which is not measured
        yield kernel, package
    finally:
        kernel.close()


def test_a_loop_patched_by_the_user_loses_nothing_and_nests_or_says_why_not(
    patched: tuple[LiveKernel, str],
) -> None:
    kernel, package = patched
    if package == ONE:
        refused = kernel.finish(kernel.send(NESTED))
        assert refused.error == "LoopNotReentrantError"
        said = refused.contents("error")[0]["evalue"]
        assert "nest_asyncio 1.x is applied in this process" in said
        assert "nest_asyncio2 may be applied" in said
        assert "await" in said
    for ask in (BLOCKING, AWAITED, *([NESTED] if package == TWO else [])):
        answers_resume_the_cell_and_the_queue_behind_it(kernel, ask)
        interrupts_end_the_cell_and_abort_the_rest(kernel, ask)
        run_all_asks_one_after_the_other(kernel, ask)
    time_limits_are_kept(kernel)
    calls_end_well_in_every_form_and_place(kernel)


def answers_resume_the_cell_and_the_queue_behind_it(kernel: LiveKernel, ask: str) -> None:
    for button, answer in enumerate(("approved", "denied")):
        cells = [kernel.send(ask), *(kernel.send(f"print({n})") for n in range(3))]
        kernel.shown(cells[0], widgets=2)
        assert not any(later.messages or later.reply for later in cells[1:]), "none may start early"
        kernel.click(cells[0].widgets[button])
        assert answer in kernel.finish(cells[0]).text
        assert [kernel.finish(cell).text for cell in cells[1:]] == ["0\n", "1\n", "2\n"]


def interrupts_end_the_cell_and_abort_the_rest(kernel: LiveKernel, ask: str) -> None:
    cells = [kernel.send(ask), kernel.send("print('never')")]
    kernel.shown(cells[0], widgets=2)
    start = time.monotonic()
    kernel.interrupt()
    assert kernel.finish(cells[0], 5).error == "KeyboardInterrupt"
    assert cells[0].replied_at - start < 15
    assert kernel.finish(cells[1]).status == "aborted"
    kernel.until(lambda: kernel.finish(kernel.send("pass")).status == "ok", 5, lambda: "no later cell runs")


def run_all_asks_one_after_the_other(kernel: LiveKernel, ask: str) -> None:
    cells = [kernel.send(code) for code in ("print(1)", ask, "print(2)", ask, "print(3)")]
    for card in (cells[1], cells[3]):
        kernel.shown(card, widgets=2)
        kernel.click(card.widgets[0])
    assert [kernel.finish(cell).status for cell in cells] == ["ok"] * 5
    ids = [cell.id for cell in cells]
    assert [one for one in kernel.order if one in ids] == ids


def time_limits_are_kept(kernel: LiveKernel) -> None:
    text = kernel.run(
        "late = Future()\n"
        "try: await wait_async(late, 0.1)\n"
        "except TimeoutError: print('in time')\n"
        "try: wait(late, 0.1)\n"
        "except TimeoutError: print('in time')\n"
        "await pause_async(0.01); pause(0.01)\n"
    ).text
    assert text == "in time\nin time\n"


def calls_end_well_in_every_form_and_place(kernel: LiveKernel) -> None:
    text = kernel.run(
        "from tooldeck import Deck\n"
        "from tooldeck.notebook.kernel.host import KernelAsyncHost, KernelHost\n"
        "def napping() -> int:\n"
        "    'Sleep in a thread.'\n"
        "    time.sleep(0.05); return 5\n"
        "async def slow() -> int:\n"
        "    'Take a moment.'\n"
        "    await asyncio.sleep(0.05); return 6\n"
        "def in_thread(result): result.set_result(deck.call('slow').value)\n"
        "for deck in (Deck(), Deck(host=KernelHost(), async_host=KernelAsyncHost())):\n"
        "    deck.add(napping, effects='read', timeout=5); deck.add(slow, effects='read')\n"
        "    print(*(deck.call(name).value for name in ('napping', 'slow')))\n"
        "    print(*[(await deck.acall(name)).value for name in ('napping', 'slow')])\n"
        "    result = Future(); threading.Thread(target=in_thread, args=[result]).start()\n"
        "    print(wait(result, 9))"
    ).text
    assert text == "5 6\n5 6\n6\n" * 2

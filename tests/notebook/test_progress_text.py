"""Progress where no bar can be drawn: lines of text, few of them."""

from __future__ import annotations

import pytest

from tests.notebook.conftest import Shell
from tooldeck.notebook.progress_text import ProgressLines
from tooldeck.testing import ManualClock


@pytest.fixture
def lines():
    clock, said = ManualClock(), []
    return ProgressLines(said.append, lambda: clock.seconds), clock, said


def test_a_long_call_says_now_and_then_how_far_it_is(lines):
    progress, clock, said = lines
    for step in range(1, 51):
        progress.move("call-1", "count", step, 50, "")
        clock.advance(0.1)
    progress.end("call-1")
    assert said == ["count: 21 of 50", "count: 41 of 50", "count: 50 of 50"]


def test_a_call_that_is_soon_over_says_nothing(lines):
    progress, clock, said = lines
    for step in range(5):
        progress.move("call-1", "count", step, 4, "")
        clock.advance(0.3)
    assert said == []


def test_a_call_without_a_total_says_what_it_has(lines):
    progress, clock, said = lines
    progress.move("call-1", "pages", 1, None, "cover")
    clock.advance(3)
    progress.move("call-1", "pages", 2, None, "index")
    assert said == ["pages: 2 · index"]


def test_a_program_without_widgets_reads_the_progress(shell: Shell) -> None:
    clock = ManualClock()
    bars = shell.ip._tooldeck.bars
    bars._lines._clock = lambda: clock.seconds
    shell.ip.user_ns["clock"] = clock
    shell.run(
        "from tooldeck import Injected, Progress\n"
        "@deck.tool(effects='none')\n"
        "def count(progress: Injected[Progress]) -> int:\n"
        "    for step in range(3):\n"
        "        progress(step, 2)\n"
        "        clock.advance(5)\n"
        "    return step"
    )
    assert "count: 2 of 2" in shell.shown("deck.call('count')")

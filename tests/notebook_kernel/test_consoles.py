"""A console on a kernel draws no card: an approval is a prompt there, and Ctrl-C ends it."""

from __future__ import annotations

from collections.abc import Iterator

import pexpect
import pytest
from terminals import terminal

CALLS = {"blocking": "deck.call('note', text='tea')", "awaited": "await deck.acall('note', text='tea')"}

LOAD = """
ran = []
def note(text: str) -> str:
    'Write a note.'
    ran.append(text)
    return text
get_ipython().run_line_magic('load_ext', 'tooldeck')
get_ipython().user_ns['deck'].add(note, effects='write')
"""
HASTY = "get_ipython()._tooldeck.desk.render_within = 0.3"


@pytest.fixture(scope="module")
def console() -> Iterator[pexpect.spawn]:
    """A `jupyter console` with a tool that asks."""
    with terminal("-m", "jupyter_console", "--simple-prompt", "--no-confirm-exit", timeout=60) as child:
        child.expect("In ")
        child.sendline(f"exec({LOAD!r}); print('re' + 'ady')")
        child.expect("ready")
        yield child


def asked(console: pexpect.spawn, call: str) -> None:
    """Make a call and wait for its question."""
    console.sendline(f"r = {call}; print('ended', r.status, ran)")
    console.expect("Approval: note")
    console.expect("effects: write")
    console.expect_exact('text = "tea"')
    console.expect("Approve?")


def test_a_console_is_asked_by_a_prompt_once_it_is_clear_that_it_draws_no_card(
    console: pexpect.spawn,
) -> None:
    asked(console, CALLS["blocking"])
    console.sendline("y")
    console.expect_exact("ended ok ['tea']")


@pytest.mark.parametrize("form", CALLS)
def test_what_is_typed_in_a_console_is_the_answer(console: pexpect.spawn, form: str) -> None:
    console.sendline(f"{HASTY}; ran.clear()")
    asked(console, CALLS[form])
    console.sendline("y")
    console.expect_exact("ended ok ['tea']")
    for no in ("n", ""):
        asked(console, CALLS[form])
        console.sendline(no)
        console.expect_exact("ended denied ['tea']")


def interrupt(console: pexpect.spawn) -> None:
    """Press Ctrl-C until it is heard: between printing its prompt and reading, the console is deaf to it."""
    for _ in range(8):
        console.sendintr()
        if console.expect(["KeyboardInterrupt", pexpect.TIMEOUT], timeout=6) == 0:
            return
    pytest.fail(f"no interrupt came through: {console.before}")


@pytest.mark.parametrize("form", CALLS)
def test_ctrl_c_at_the_prompt_of_a_console_ends_the_call(console: pexpect.spawn, form: str) -> None:
    console.sendline(f"{HASTY}; ran.clear()")
    asked(console, CALLS[form])
    interrupt(console)
    console.sendline("print('ali' + 've', ran)")
    console.expect_exact("alive []")

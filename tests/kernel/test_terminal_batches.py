"""A batch in a terminal asks at the prompt, and Ctrl-C there ends the batch and leaves the keyboard free."""

from __future__ import annotations

import pexpect
import pytest
from terminals import terminal

TOOL = """
import asyncio
from tooldeck import Deck
deck = globals().get('deck') or Deck()
ran = []
@deck.tool(effects='read')
def look(n: int) -> int:
    'Look.'
    ran.append(n)
    return n
@deck.tool(effects='read')
async def gaze(n: int) -> int:
    'Look for long.'
    ran.append(n)
    return n
deck.policy.ask('look', 'gaze')
calls = [('look', {'n': 0}), ('look', {'n': 1}), ('gaze', {'n': 2})]
"""
AWAITED = {"python": "asyncio.run(deck.acall_many(calls))", "ipython": "await deck.acall_many(calls)"}
SHELLS = {
    "python": ["-i", "-q"],
    "ipython": [
        *("-m", "IPython", "--simple-prompt", "--no-banner", "--colors=nocolor", "--no-confirm-exit"),
        *("--ext", "tooldeck"),
    ],
}


def interrupt(child: pexpect.spawn) -> None:
    """Press Ctrl-C until it is heard: between showing its prompt and reading, `input` is deaf to it."""
    for _ in range(6):
        child.sendintr()
        if child.expect(["KeyboardInterrupt", "CancelledError", pexpect.TIMEOUT], timeout=5) < 2:
            return
    pytest.fail(f"no interrupt came through: {child.before}")


@pytest.mark.parametrize("shell", SHELLS)
def test_ctrl_c_at_the_prompt_of_a_batch_ends_it_and_what_is_typed_next_is_for_the_shell(shell: str) -> None:
    with terminal(*SHELLS[shell], timeout=30) as child:
        child.sendline(f"exec({TOOL!r}); print('re' + 'ady')")
        child.expect("ready")
        for many in ("deck.call_many(calls)", AWAITED[shell]):
            child.sendline(f"results = {many}; print('answered', [str(r.status) for r in results])")
            for answer in "yyn":
                child.expect("Approve?")
                child.sendline(answer)
            child.expect(r"answered \[.*'denied'")
            child.sendline(f"ran.clear(); {many}")
            child.expect("Approve?")
            interrupt(child)
            child.expect([">>> ", r"In \[\d+\]: "])
            child.sendline("print('ali' + 've', ran)")
            child.expect_exact("alive []")

"""No kernel: a terminal is asked by a prompt, a script in a pipe is not asked, Ctrl-C ends every wait."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from terminals import ENV, ROOT, terminal

SHELLS = {
    "python": ["-i", "-q"],
    "ipython": ["-m", "IPython", "--simple-prompt", "--no-banner", "--colors=nocolor", "--no-confirm-exit"],
}
IMPORTS = (
    "import threading, time; from concurrent.futures import Future; "
    "from tooldeck.notebook.kernel import *; from tooldeck.notebook.kernel.environment import *"
)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_terminal_is_asked_by_a_prompt_and_ctrl_c_ends_a_wait(shell: str, tmp_path: Path) -> None:
    with terminal(*SHELLS[shell]) as child:
        child.sendline(IMPORTS + "; print('re' + 'ady')")
        child.expect("ready")
        child.sendline("print('audience', audience().name)")
        child.expect("audience STDIN")
        child.sendline(
            "f = Future(); threading.Timer(0.2, f.set_result, [41]).start(); print('got', wait(f) + 1)"
        )
        child.expect("got 42")
        child.sendline("print('wai' + 'ting'); wait(Future())")
        child.expect("waiting")
        child.sendintr()
        child.expect("KeyboardInterrupt")
        child.sendline("print('wai' + 'ting'); wait(Future(), 60)")
        child.expect("waiting")
        child.sendintr()
        child.expect("KeyboardInterrupt")
        child.sendline("print('ali' + 've')")
        child.expect("alive")


def test_work_posted_in_a_terminal_runs_on_the_thread_that_waits() -> None:
    """So that a prompt for a background session does not compete with the main thread for the terminal."""
    code = (
        IMPORTS + "\nf = Future()\n"
        "def thread():\n"
        "    f.set_result(post(lambda: input('name? ')).result(20))\n"
        "threading.Thread(target=thread).start()\n"
        "print('hello', wait(f))"
    )
    with terminal("-c", code) as child:
        child.expect_exact("name? ")
        child.sendline("Ada")
        child.expect("hello Ada")


def test_a_script_without_a_terminal_has_nobody_to_ask() -> None:
    code = IMPORTS + "\nprint(audience().name); print(why_nobody())"
    assert _script(code).stdout == "NOBODY\nthis program has no terminal to ask on\n"


def test_without_a_kernel_everything_waits_plainly_and_loads_no_kernel() -> None:
    code = IMPORTS + (
        "\nimport asyncio, sys\n"
        "f = Future(); threading.Timer(0.05, f.set_result, [1]).start()\n"
        "async def main():\n"
        "    g = Future(); threading.Timer(0.05, g.set_result, [2]).start()\n"
        "    return await wait_async(g)\n"
        "print(wait(f), run_here(main()), asyncio.run(main()))\n"
        "try: wait(Future(), 0.05)\n"
        "except TimeoutError as error: print(error)\n"
        "print([name for name in ('IPython', 'ipykernel', 'zmq', 'nest_asyncio2') if name in sys.modules])"
    )
    assert _script(code).stdout.splitlines() == ["1 2 2", "nothing came within 0.05 s", "[]"]


def test_a_closed_standard_input_has_nobody_to_ask() -> None:
    assert _script(IMPORTS + "\nimport sys; sys.stdin.close(); print(audience().name)").stdout == "NOBODY\n"


def _script(code: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENV, cwd=ROOT, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import time

import pytest

from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.guards.environment import environment
from tooldeck.guards.programs import find_program
from tooldeck.guards.running import Limits, run, summed_up

numbers = itertools.count(61_000 + os.getpid() % 1000 * 10)


@pytest.fixture
def seconds() -> str:
    """So many seconds that no other test sleeps as long: a word by which a process is found."""
    return str(next(numbers))


@pytest.fixture
def finish(tmp_path):
    """Run words to their end."""

    def run_it(*words, complete=asyncio.run, **options):
        options.setdefault("limits", Limits(seconds=20))
        return complete(run(words, cwd=tmp_path, env=environment(), **options))

    return run_it


def test_a_program_gives_its_output_its_errors_and_its_exit_code(finish, complete):
    done = finish("sh", "-c", "echo out; echo err >&2; exit 3", complete=complete)
    assert (done.stdout.text, done.stderr.text, done.exit_code) == ("out\n", "err\n", 3)
    assert not done.ok
    assert summed_up(done).startswith("exited with code 3 (")


def test_no_word_is_read_by_a_shell(finish):
    assert finish("echo", "$HOME; ls *", "`id`").stdout.text == "$HOME; ls * `id`\n"


def test_a_program_that_reads_gets_what_it_is_given_and_then_the_end(finish):
    assert finish("cat", data=b"given").stdout.text == "given"
    assert finish("cat").stdout.text == ""
    assert finish("true", data=b"x" * 5_000_000).ok


def test_a_program_killed_by_a_signal_says_which(finish):
    assert summed_up(finish("sh", "-c", "kill -9 $$")).startswith("was killed by SIGKILL")


def test_what_a_program_leaves_in_the_background_is_ended_and_not_waited_for(finish, left_over, seconds):
    for line in (f"sleep {seconds} & echo hi", f"setsid sleep {seconds} & echo hi"):
        done = finish("sh", "-c", line)
        assert (done.stdout.text, done.stopped) == ("hi\n", "")
        assert done.seconds < 15
        assert left_over(seconds) == []


def test_a_program_over_its_time_goes_with_its_children_and_its_output_stays(
    finish, complete, left_over, seconds
):
    code = (
        "import subprocess, time, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"subprocess.Popen(['sleep', '{seconds}']); print('begun', flush=True); time.sleep(60)"
    )
    done = finish(sys.executable, "-c", code, limits=Limits(seconds=2.0), complete=complete)
    assert (done.stdout.text, done.stopped) == ("begun\n", "time")
    assert "limit of 2 s" in summed_up(done)
    assert left_over(seconds) == []


def test_a_flood_of_output_is_stopped_and_its_beginning_and_end_are_kept(finish):
    done = finish("yes", "a long line", limits=Limits(seconds=30, kept=1000, output=5_000_000))
    assert done.stopped == "output"
    assert done.stdout.total > 5_000_000
    assert len(done.stdout.data) == 1000
    assert done.stdout.text.startswith("a long line\na long line")
    assert f"[… {done.stdout.left_out} bytes left out …]" in done.stdout.text


def test_beginning_and_end_of_a_long_output_are_kept_byte_for_byte(finish):
    done = finish("sh", "-c", "seq 1 100000", limits=Limits(seconds=20, kept=100))
    whole = "".join(f"{number}\n" for number in range(1, 100_001)).encode()
    assert done.stdout.total == len(whole)
    assert done.stdout.data == whole[:40] + whole[-60:]


def test_secrets_of_our_environment_are_not_handed_on(finish, monkeypatch):
    monkeypatch.setenv("SERVICE_TOKEN", "hunter2")
    seen = finish("env").stdout.text
    assert "hunter2" not in seen
    assert "PATH=" in seen


def test_a_missing_program_is_one_sentence_with_the_command_that_installs_it(finish):
    with pytest.raises(SetupError) as caught:
        find_program("bwrap", {"PATH": "/nowhere"})
    assert str(caught.value) == (
        "The program 'bwrap' is not installed here; install it with: apt-get install bubblewrap."
    )
    with pytest.raises(SetupError, match="Cannot start 'no-such-program'"):
        finish("no-such-program")


def test_a_program_of_the_workspace_is_never_found_by_its_name_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trap = tmp_path / "trap"
    trap.write_text("#!/bin/sh\n")
    trap.chmod(0o755)
    for name, path in (("trap", ":."), ("./trap", "/usr/bin"), (str(trap), "/usr/bin")):
        with pytest.raises(SetupError):
            find_program(name, {"PATH": path})


@pytest.mark.parametrize("words", ["ls -l", [], ["ls", "a\0b"], ["ls", 3]], ids=repr)
def test_what_is_no_list_of_words_is_refused(finish, words):
    with pytest.raises(DefinitionError):
        finish(*words) if isinstance(words, list) else asyncio.run(run(words, cwd="/", env={}))


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(SetupError, match="No such file"):
        asyncio.run(run(["ls"], cwd=tmp_path / "none", env=environment()))


def test_a_cancelled_run_leaves_nothing(tmp_path, left_over, seconds):
    async def scene():
        running = asyncio.create_task(run(["sleep", seconds], cwd=tmp_path, env=environment()))
        deadline = time.monotonic() + 20
        while not left_over(seconds) and time.monotonic() < deadline:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)
        assert left_over(seconds)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scene())
    assert left_over(seconds) == []


# A blocking call of a tool, as a cell makes it.
HOST = """
import sys
from tooldeck import Deck
from tooldeck.guards.environment import environment
from tooldeck.guards.running import run
deck = Deck(policy='auto')
@deck.tool
async def nap() -> str:
    "Sleep."
    await run(['sh', '-c', f'setsid sleep {sys.argv[1]} & sleep {sys.argv[1]}'], cwd='/', env=environment())
try:
    deck.call('nap')
except KeyboardInterrupt:
    print('interrupted', flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "SIGKILL"])
def test_an_interrupt_and_the_death_of_our_process_leave_nothing(number, left_over, seconds, eventually):
    host = subprocess.Popen([sys.executable, "-c", HOST, seconds], stdout=subprocess.PIPE, text=True)
    try:
        assert eventually(lambda: len([*left_over(seconds)]) >= 3, 40)
        host.send_signal(number)
        said, _ = host.communicate(timeout=30)
        assert ("interrupted" in said) is (number == signal.SIGINT)
        assert eventually(lambda: left_over(seconds) == [], 10)
    finally:
        host.kill()
        host.wait(10)

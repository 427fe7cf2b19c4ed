from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from tooldeck.mcp.errors import McpClosed, McpConnectError
from tooldeck.mcp.session import Session, State
from tooldeck.mcp.stderr import StderrFile

LIMIT = 40.0


def test_a_server_that_leaves_at_start_gives_command_exit_code_and_stderr(raw, connected):
    start = time.monotonic()
    with pytest.raises(McpConnectError) as caught:
        connected(raw("--exit", "3"), "broken")
    message = str(caught.value)
    assert "'broken'" in message
    assert "raw.py --exit 3" in message
    assert "exited with code 3" in message
    assert "boot: missing KEY" in message
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(("script", "hinted"), [("", True), ("print('hi')", False), ("exit(2)", False)])
def test_a_script_that_ends_well_without_a_word_perhaps_never_runs_its_server(connected, script, hinted):
    with pytest.raises(McpConnectError) as caught:
        connected([sys.executable, "-c", script])
    assert ("never calls mcp.run()" in str(caught.value)) is hinted
    assert ("exited with code 0" in str(caught.value)) is (script != "exit(2)")


def test_a_missing_program_is_named_in_one_sentence(connected):
    with pytest.raises(McpConnectError, match=r"there is no program 'no-such-server' on the PATH\.$"):
        connected("no-such-server --port 1")


def test_a_server_killed_by_a_signal_says_which(connected):
    with pytest.raises(McpConnectError, match="was killed by SIGKILL"):
        connected(["sh", "-c", "kill -9 $$"])


def test_a_server_that_never_answers_is_given_up_and_ended(raw, is_alive):
    session = Session("mute", raw("--silent"), connect_timeout=0.5)
    with pytest.raises(McpConnectError, match=r"did not answer within 0\.5 s"):
        session.open().result(LIMIT)
    assert session.state is State.DEAD
    assert not is_alive(session.pid)


def test_cancelling_a_connection_under_way_ends_its_server(raw, is_alive, eventually):
    session = Session("mute", raw("--silent"))
    job = session.open()
    pid = eventually(lambda: session.pid, 20)
    assert job.cancel()
    assert job.finished.wait(LIMIT)
    assert not is_alive(pid)


@pytest.mark.parametrize("moment", ["", "eventually(lambda: session.pid, 60)", "job.result(60)"])
def test_a_program_that_ends_while_a_session_opens_or_is_open_says_nothing(raw, moment):
    code = (
        "import sys; sys.path.insert(0, 'tests/support')\n"
        "from rig.waiting import eventually\n"
        "from tooldeck.mcp.session import Session\n"
        f"session = Session('raw', {raw()!r})\n"
        f"job = session.open()\n{moment}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0
    assert done.stdout + done.stderr == ""


def test_a_server_that_dies_in_a_call_gives_its_exit_code_at_once_and_leaves_a_dead_session(raw, connected):
    session = connected(raw(), timeout=10)
    start = time.monotonic()
    with pytest.raises(McpClosed, match="exited with code 1") as caught:
        session.call("die").result(LIMIT)
    assert time.monotonic() - start < 5
    assert "dying now" in str(caught.value)
    assert session.state is State.DEAD
    with pytest.raises(McpClosed, match=r"deck\.mcp\.reconnect\('server'\)"):
        session.call("echo").result(LIMIT)


def test_other_calls_of_a_server_that_dies_end_as_well(raw, connected):
    session = connected(raw())
    waiting = session.call("sleep")
    session.call("die").exception(LIMIT)
    assert isinstance(waiting.exception(LIMIT), McpClosed)


def test_a_server_that_is_killed_while_nobody_calls_is_noticed(raw, connected, eventually):
    session = connected(raw())
    os.kill(session.pid, signal.SIGKILL)
    assert eventually(lambda: session.state is State.DEAD, 10)
    assert session.reason.startswith("was killed by SIGKILL")


def test_the_end_is_told_once_with_its_reason_although_nobody_calls(raw, connected):
    session = connected(raw())
    ends: list[tuple[State, str]] = []
    told = threading.Event()

    def on_end():
        ends.append((session.state, session.reason))
        told.set()

    session.on_end = on_end
    os.kill(session.pid, signal.SIGKILL)
    assert told.wait(10)
    session.close().result(LIMIT)
    assert ends == [(State.DEAD, "was killed by SIGKILL")]


def test_an_end_that_somebody_asked_for_is_told_too(raw, connected):
    session = connected(raw())
    ends: list[State] = []
    session.on_end = lambda: ends.append(session.state)
    session.close().result(LIMIT)
    assert ends == [State.CLOSED]


def test_a_listener_that_fails_does_not_keep_the_session_from_ending(raw, connected, eventually):
    session = connected(raw())
    session.on_end = lambda: 1 / 0
    os.kill(session.pid, signal.SIGKILL)
    assert eventually(lambda: session.state is State.DEAD, 10)
    session.close().result(LIMIT)


def test_one_of_two_servers_dies_and_the_other_goes_on(raw, connected):
    dying, living = connected(raw(), "dying"), connected(raw(), "living")
    dying.call("die").exception(LIMIT)
    assert living.call("echo").result(LIMIT).text == "{}"


def test_a_banner_on_stdout_is_kept_out_of_the_way_and_not_printed(raw, connected, capfd):
    session = connected(raw("--noise"))
    assert session.call("echo").result(LIMIT).text == "{}"
    assert session.stray_output() == ["Starting up..."]
    assert capfd.readouterr() == ("", "")


def test_a_program_that_only_prints_is_quoted_with_the_reason(connected):
    with pytest.raises(McpConnectError) as caught:
        connected(["sh", "-c", "echo Welcome to my tool; echo usage: tool >&2"])
    message = str(caught.value)
    assert "Welcome to my tool" in message
    assert "stdout, which is reserved for the protocol" in message
    assert "usage: tool" in message


def test_a_flood_of_stderr_neither_blocks_nor_loses_the_last_lines(raw, connected):
    session = connected(raw("--stderr", "6000"))
    assert session.call("echo").result(LIMIT).text == "{}"
    assert session.stderr()[-1] == "line 5999 of a long story about nothing in particular"


def test_a_server_deaf_to_end_of_input_and_sigterm_is_killed_within_five_seconds(raw, connected, is_alive):
    session = connected(raw("--stubborn"))
    start = time.monotonic()
    session.close().result(LIMIT)
    assert time.monotonic() - start < 6
    assert not is_alive(session.pid)


def test_a_wrapper_and_the_stubborn_child_of_its_server_go_with_the_session(
    raw, connected, is_alive, tmp_path, eventually
):
    note = tmp_path / "pid"
    command = " ".join(raw("--child", str(note)))
    session = connected(["sh", "-c", f"{command}; true"])
    child = int(note.read_text())
    assert is_alive(child)
    session.close().result(LIMIT)
    assert not is_alive(session.pid)
    assert eventually(lambda: not is_alive(child), 2)


def test_a_crashed_server_takes_its_children_along(raw, connected, is_alive, tmp_path, eventually):
    note = tmp_path / "pid"
    session = connected(raw("--child", str(note)))
    session.call("die").exception(LIMIT)
    assert eventually(lambda: not is_alive(int(note.read_text())), 10)


def test_a_server_whose_keeper_was_ended_goes_with_the_session_all_the_same(
    raw, connected, is_alive, eventually
):
    for options in ((), ("--stubborn",)):
        session = connected(raw(*options))
        keeper = psutil.Process(session.pid).parent()
        assert "keeper.py" in " ".join(keeper.cmdline())
        keeper.kill()
        assert session.call("echo").result(LIMIT).text == "{}"
        session.close().result(LIMIT)
        assert eventually(lambda pid=session.pid: not is_alive(pid), 2)


def test_the_last_words_of_a_server_can_be_read_while_its_file_is_given_back():
    for _ in range(50):
        kept = StderrFile()
        kept.file.write(b"dying now\n")
        seen, faults = [], []

        def read(kept=kept, seen=seen, faults=faults):
            try:
                while not seen or not kept.file.closed:
                    seen.append(kept.lines(5))
            except ValueError as fault:
                faults.append(fault)

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        kept.close()
        for reader in readers:
            reader.join(10)
        assert faults == []
        assert {line for lines in seen for line in lines} == {"dying now"}
        assert kept.lines(5) == ["dying now"]

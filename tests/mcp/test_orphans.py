"""Whatever happens to our process, no server stays behind."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

HOST = """
import sys, threading
from tooldeck.mcp.session import Session
session = Session('server', sys.argv[2:])
session.open().result(50)
print(session.pid, flush=True)
if sys.argv[1] == 'forget':
    sys.exit(0)
if sys.argv[1] == 'call':
    session.call('sleep').result(100)
threading.Event().wait(100)
"""


@pytest.fixture
def start_host(raw):
    """Starts a Python that connects to a server and then does as told; gives the process and the server's pid."""
    started: list[subprocess.Popen[str]] = []

    def start(what: str, *options: str) -> tuple[subprocess.Popen[str], int]:
        command = [sys.executable, "-c", HOST, what, *raw(*options)]
        host = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(host)
        assert host.stdout is not None
        return host, int(host.stdout.readline())

    yield start
    for host in started:
        host.kill()
        host.wait(10)
        host.stdout.close()


@pytest.mark.parametrize("options", [(), ("--stubborn",)], ids=["polite", "stubborn"])
@pytest.mark.parametrize("what", ["wait", "call"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_a_killed_process_leaves_no_server_behind(number, what, options, start_host, is_alive, eventually):
    host, pid = start_host(what, *options)
    assert is_alive(pid)
    host.send_signal(number)
    host.wait(20)
    assert eventually(lambda: not is_alive(pid), 6)


@pytest.mark.parametrize("options", [(), ("--stubborn",)], ids=["polite", "stubborn"])
def test_leaving_without_closing_leaves_no_server_behind(options, start_host, is_alive, eventually):
    host, pid = start_host("forget", *options)
    assert host.wait(30) == 0
    assert eventually(lambda: not is_alive(pid), 6)


def test_the_children_of_a_server_go_as_well_when_our_process_is_killed(
    start_host, is_alive, eventually, tmp_path
):
    note = tmp_path / "pid"
    host, pid = start_host("wait", "--stubborn", "--child", str(note))
    child = int(note.read_text())
    host.kill()
    host.wait(20)
    assert eventually(lambda: not is_alive(pid) and not is_alive(child), 8)

"""Whatever happens to our process, no server stays behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

# One process with a polite server, a stubborn one, one in the middle of a call and one with a stubborn child.
HOST = """
import json, sys, threading
from tooldeck.mcp.session import Session
what, child, *command = sys.argv[1:]
sessions = [Session(f's{number}', [*command, *more]) for number, more in enumerate(
    ([], ['--stubborn'], ['--stubborn'], ['--child', child]))]
for opened in [session.open() for session in sessions]:
    opened.result(50)
sessions[2].call('sleep')
sessions[2].call('echo').result(20)
print(json.dumps([session.pid for session in sessions]), flush=True)
if what == 'leave':
    sys.exit(0)
threading.Event().wait(100)
"""


@pytest.fixture
def start_host(raw, tmp_path):
    """Starts a Python with servers; gives the process and the pids of all that it has started."""
    started: list[subprocess.Popen[str]] = []

    def start(what: str) -> tuple[subprocess.Popen[str], list[int]]:
        note = tmp_path / "pid"
        command = [sys.executable, "-c", HOST, what, str(note), *raw()]
        host = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(host)
        assert host.stdout is not None
        return host, [*json.loads(host.stdout.readline()), int(note.read_text())]

    yield start
    for host in started:
        host.kill()
        host.wait(10)
        host.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_a_killed_process_leaves_nothing_behind(number, start_host, is_alive, eventually):
    host, pids = start_host("wait")
    assert all(is_alive(pid) for pid in pids)
    host.send_signal(number)
    host.wait(20)
    assert eventually(lambda: not any(is_alive(pid) for pid in pids), 8)


def test_leaving_without_closing_leaves_nothing_behind(start_host, is_alive, eventually):
    host, pids = start_host("leave")
    assert host.wait(30) == 0
    assert eventually(lambda: not any(is_alive(pid) for pid in pids), 8)

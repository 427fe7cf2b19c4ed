"""What a sandbox keeps a program from, tried in earnest in every kind that this machine has."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tooldeck.core.errors import SetupError
from tooldeck.guards import confine, seccomp
from tooldeck.guards.isolation import Isolation, View, Walls, at_least
from tooldeck.guards.running import Limits, summed_up
from tooldeck.guards.sandbox import best, run_confined

ESCAPES = Path(__file__).with_name("escapes.py")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sandboxes are for Linux")
pytestmark = linux
MIB = 1024 * 1024
LIMITS = Limits(
    seconds=20,
    cpu=10,
    memory=1024 * MIB,
    file_size=8 * MIB,
    open_files=64,
    processes=20,
    disk=32 * MIB,
)


@pytest.fixture
def inside(tmp_path) -> Path:
    folder = tmp_path / "inside"
    folder.mkdir()
    return folder


@pytest.fixture
def shut_in(walls, inside):
    """Run Python code in the sandbox."""

    def run_it(code, *words, limits=LIMITS, view=None, program=sys.executable):
        command = [program, "-c", code, *words]
        return asyncio.run(run_confined(command, view or View(inside), walls, limits))[0]

    return run_it


def test_nothing_that_a_program_tries_gets_out(shut_in, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret"
    secret.write_text("secret")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as by_file,
        socket.socket(socket.AF_UNIX) as by_name,
    ):
        port = server.getsockname()[1]
        by_file.bind(f"{outside}/socket")
        by_file.listen()
        by_name.bind(f"\0tooldeck-test-{port}")
        by_name.listen()
        mode = secret.stat().st_mode
        done = shut_in(ESCAPES.read_text(), str(outside), str(os.getpid()), str(port))
    assert done.exit_code == 0, done.stderr.text
    told = json.loads(done.stdout.text)
    assert told["managed"] == []
    assert told["tried"] > 30
    assert secret.read_text() == "secret"
    assert secret.stat().st_mode == mode
    assert sorted(entry.name for entry in outside.iterdir()) == ["secret", "socket"]


def test_the_same_program_gets_everywhere_without_a_sandbox(inside, tmp_path):
    # Else the test above would pass for a program that fails at everything.
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    words = [sys.executable, "-c", _harmless(ESCAPES.read_text()), str(outside), str(os.getpid()), "1"]
    done = asyncio.run(run_confined(words, View(inside), Walls(Isolation.RLIMITS), LIMITS))[0]
    assert {*json.loads(done.stdout.text)["managed"]} >= WITHIN


WITHIN = {"read a file", "change a file", "make a file", "follow a link", "move a file out", "signal another"}


def _harmless(code: str) -> str:
    """The escapes that stay within the folders of the test."""
    mark = "managed = []"
    assert mark in code
    return code.replace(mark, f"attempts = {{name: attempts[name] for name in {sorted(WITHIN)}}}\n{mark}")


def test_ordinary_programs_work(shut_in, inside):
    code = (
        "import json, subprocess, tempfile, threading, os, sqlite3, pathlib\n"
        "with tempfile.NamedTemporaryFile() as file: file.write(b'x')\n"
        "thread = threading.Thread(target=print, args=('a thread',)); thread.start(); thread.join()\n"
        "print(subprocess.run(['sh', '-c', 'ls / >/dev/null 2>&1; echo a child; exit 5'],"
        " capture_output=True))\n"
        "sqlite3.connect('data.db').execute('create table t (a)')\n"
        "os.mkdir('sub'); os.rename('data.db', 'sub/data.db'); print(os.getcwd())\n"
    )
    done = shut_in(code)
    assert done.exit_code == 0, done.stderr.text
    for said in ("a thread", "a child", "returncode=5", str(inside)):
        assert said in done.stdout.text
    assert (inside / "sub" / "data.db").exists()


def test_a_program_may_read_and_change_what_its_view_names_and_no_more(shut_in, inside, tmp_path):
    for name in ("read", "write"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("before")
    code = (
        "import sys\n"
        "for name in sys.argv[1:]:\n"
        "    print(open(name).read())\n"
        "    try: open(name, 'w').write('after')\n"
        "    except OSError as error: print('refused')\n"
    )
    view = View(inside, read=(tmp_path / "read",), write=(tmp_path / "write",))
    done = shut_in(code, str(tmp_path / "read" / "file"), str(tmp_path / "write" / "file"), view=view)
    assert done.stdout.text.split() == ["before", "refused", "before"]
    assert (tmp_path / "read" / "file").read_text() == "before"
    assert (tmp_path / "write" / "file").read_text() == "after"


def test_a_fork_bomb_is_held_at_the_limit_and_leaves_nobody(shut_in, left_over):
    code = (
        "import os, sys, time\n"
        "count = 0\n"
        "try:\n"
        "    while count < 500:\n"
        "        if os.fork() == 0: time.sleep(60); os._exit(0)\n"
        "        count += 1\n"
        "except OSError: pass\n"
        "print(count)"
    )
    done = shut_in(code, "a-fork-bomb")
    assert 5 <= int(done.stdout.text) <= 30
    assert left_over("a-fork-bomb") == []


def test_a_full_disk_is_prevented(shut_in, inside):
    done = shut_in("n = 0\nwhile True:\n    open(str(n), 'wb').write(bytes(1 << 20)); n += 1")
    assert done.stopped == "disk"
    assert sum(file.stat().st_size for file in inside.iterdir()) < 1024 * MIB
    empty = shut_in("n = 0\nwhile True:\n    open(f'e{n}', 'wb').close(); n += 1", limits=Limits(disk=MIB))
    assert empty.stopped == "disk"


def test_memory_files_and_one_large_file_are_limited(shut_in):
    code = (
        "def refused(attempt):\n"
        "    try: attempt()\n"
        "    except (OSError, MemoryError) as error: return type(error).__name__\n"
        "print(refused(lambda: bytearray(2 << 30)))\n"
        "print(refused(lambda: [open('/dev/null') for _ in range(100)].clear()))\n"
        "print(refused(lambda: open('large', 'wb').write(bytes(9 << 20))))\n"
    )
    assert shut_in(code).stdout.text.split() == ["MemoryError", "OSError", "OSError"]


def test_processor_time_is_limited(shut_in):
    done = shut_in("while True: pass", limits=Limits(seconds=60, cpu=1))
    assert done.stopped == ""
    assert done.exit_code in {-24, -9}


def test_a_program_that_a_signal_ends_says_which_in_every_sandbox(shut_in):
    done = shut_in("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert (done.exit_code, summed_up(done)[:21]) == (-11, "was killed by SIGSEGV")
    assert [shut_in(f"raise SystemExit({code})").exit_code for code in (3, 128, 255)] == [3, 128, 255]


def test_a_killed_program_takes_its_whole_sandbox_along(shut_in, left_over):
    code = "import subprocess, time; subprocess.Popen(['setsid', 'sleep', '61987']); time.sleep(60)"
    done = shut_in(code, limits=Limits(seconds=1.5))
    assert done.stopped == "time"
    assert left_over("61987") == []


def test_the_kind_of_sandbox_says_what_it_holds(walls):
    assert walls.holds >= {"network", "files"}
    if walls.level is Isolation.BUBBLEWRAP:
        assert walls.holds == {"network", "files", "processes", "signals"}


def test_bubblewrap_is_found_to_work_where_it_does(found_walls):
    plain = ["bwrap", "--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    if shutil.which("bwrap") is None or subprocess.run(plain, timeout=20, check=False).returncode:
        pytest.skip("bubblewrap is not installed, or the system lets nobody have namespaces")
    assert found_walls[Isolation.BUBBLEWRAP].why_not == ""


def test_levels_have_an_order():
    assert at_least(Isolation.BUBBLEWRAP, Isolation.LANDLOCK)
    assert at_least(Isolation.RLIMITS, Isolation.RLIMITS)
    assert not at_least(Isolation.RLIMITS, Isolation.LANDLOCK)


# -- machines that offer less: a filter of system calls stands in for a container that forbids them

REPORT = """
import asyncio, json
from tooldeck.core.errors import SetupError
from tooldeck.guards.sandbox import best, levels
async def main():
    found = {walls.level: walls.why_not for walls in await levels()}
    try:
        chosen = (await best()).level
    except SetupError as error:
        chosen = str(error)
    print(json.dumps([found, chosen]))
asyncio.run(main())
"""


def _report(env: dict[str, str], *more_refused: int) -> tuple[dict[str, str], str]:
    program = seccomp.filter_program(namespaces=True)
    assert program is not None
    head = 6 if platform.machine() == "x86_64" else 4
    refusals = b"".join(
        part
        for number in more_refused
        for part in (seccomp._op(seccomp._EQUAL, number, 0, 1), seccomp._op(seccomp._RETURN, seccomp._EPERM))
    )
    program = program[: head * 8] + refusals + program[head * 8 :]
    spec = {
        "rlimits": [],
        "processes": None,
        "landlock": None,
        "seccomp": base64.b64encode(program).decode() if more_refused else None,
    }
    words = [sys.executable, "-I", confine.__file__, json.dumps(spec), sys.executable, "-c", REPORT]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True, env=env)
    found, chosen = json.loads(done.stdout)
    return found, chosen


def test_without_user_namespaces_landlock_takes_the_place_of_bubblewrap(found_walls):
    if not found_walls[Isolation.LANDLOCK].usable:
        pytest.skip("no Landlock here")
    harmless = 153  # vhangup, on both processors of no use to anybody
    found, chosen = _report(dict(os.environ), harmless)
    assert found["bubblewrap"] != ""
    assert (found["landlock"], chosen) == ("", "landlock")


def test_without_bubblewrap_and_landlock_nothing_runs_and_the_error_says_how_to_go_on():
    found, chosen = _report({**os.environ, "PATH": "/nowhere"}, 444)
    assert "not installed" in found["bubblewrap"]
    assert "version 0" in found["landlock"]
    assert "apt-get install bubblewrap" in chosen
    assert "deck.policy.isolation" in chosen


def test_a_demand_that_is_met_is_met_by_the_strongest_kind(found_walls):
    strongest = next(walls for walls in found_walls.values() if walls.usable)
    assert asyncio.run(best(Isolation.RLIMITS)) == strongest
    if strongest.level is not Isolation.BUBBLEWRAP:
        with pytest.raises(SetupError, match="'bubblewrap' or better"):
            asyncio.run(best(Isolation.BUBBLEWRAP))


def test_the_filter_is_known_for_the_usual_processors_only():
    for machine in ("x86_64", "aarch64"):
        program = seccomp.filter_program(machine, namespaces=False)
        assert program is not None
        assert len(program) % 8 == 0
        assert len(program) // 8 < 4096
    assert seccomp.filter_program("riscv64", namespaces=False) is None

"""exec: code and programs in a sandbox, with everything that happened in the answer."""

from __future__ import annotations

import os
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from drivers import DRIVERS

from tooldeck import Deck, Policy
from tooldeck.core.errors import SetupError
from tooldeck.guards.isolation import Isolation
from tooldeck.hosts.background import background
from tooldeck.tools.executing.commands import shell_syntax, split_words


@pytest.fixture
def deck(tmp_path):
    workspace = tmp_path / "workspace"
    (workspace / ".git").mkdir(parents=True)
    (workspace / "data.txt").write_text("inside\n")
    (workspace / "helper.py").write_text("VALUE = 42\n")
    (tmp_path / "secret.txt").write_text("outside\n")
    deck = Deck(policy="auto", workspace=workspace)
    deck.add_builtins("exec")
    yield deck
    deck.close()


@pytest.fixture
def python(deck):
    def run(code, **arguments):
        return deck.call("exec", action="python", code=code, **arguments).unwrap()

    return run


@pytest.fixture
def shell(deck):
    def run(**arguments):
        return deck.call("exec", action="shell", **arguments)

    return run


needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


@pytest.mark.parametrize("driver", DRIVERS)
def test_code_runs_in_a_process_of_its_own_and_the_answer_tells_the_sandbox(deck, driver):
    code = "import os, sys; print(os.getpid()); print('bad', file=sys.stderr); sys.exit(3)"
    result = DRIVERS[driver](deck, "exec", {"action": "python", "code": code})
    ran = result.unwrap()
    assert ran.exit_code == 3
    assert ran.stderr == "bad\n"
    assert ran.stdout.strip() != str(os.getpid())
    assert ran.isolation in {Isolation.BUBBLEWRAP, Isolation.LANDLOCK}
    assert ran.not_shut_out == ()
    assert "exited with code 3 (" in result.text
    assert f"sandbox: {ran.isolation}" in result.text
    assert "«outside" in result.text  # what a program prints is somebody else's text


def test_code_reaches_neither_the_network_nor_files_outside_nor_the_environment(
    python, tmp_path, monkeypatch
):
    monkeypatch.setenv("SERVICE_TOKEN", "hunter2")
    ran = python(
        "import os, socket\n"
        f"for attempt in (lambda: open({str(tmp_path / 'secret.txt')!r}).read(),\n"
        f"                lambda: open({str(tmp_path / 'new.txt')!r}, 'w'),\n"
        "                lambda: socket.create_connection(('127.0.0.1', 80), 1)):\n"
        "    try: print(attempt())\n"
        "    except OSError as error: print('kept out')\n"
        "print('hunter2' in str(dict(os.environ)), os.environ.get('SERVICE_TOKEN'))\n"
    )
    assert ran.stdout == "kept out\nkept out\nkept out\nFalse None\n"
    assert not (tmp_path / "new.txt").exists()


@pytest.mark.parametrize(
    "trick",
    [
        "print([c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'] and None)",
        "print((x for x in ()).gi_frame.f_back)",
        "open({path!r}, 'w').write('x')",
        "().__class__.__base__.__subclasses__(); __import__('os').system('touch ' + {path!r})",
    ],
    ids=["subclasses", "frame", "open", "shell"],
)
def test_no_trick_of_the_language_matters_since_the_process_is_the_boundary(python, tmp_path, trick):
    out = tmp_path / "out"
    python(trick.format(path=str(out)))
    assert not out.exists()
    assert python("print('{:>5}'.format(3), f'{1+1}')").stdout == "    3 2\n"


def test_files_are_given_along_and_new_and_changed_ones_come_back(deck):
    code = (
        "text = open('data.txt').read()\nopen('data.txt', 'a').write('more')\n"
        "open('out.csv', 'w').write('a,b')\nimport os; os.symlink('/etc/hostname', 'link')"
    )
    result = deck.call("exec", action="python", code=code, files=["data.txt", "helper.py"])
    assert {file.name: file.data for file in result.artifacts} == {
        "data.txt": b"inside\nmore",
        "out.csv": b"a,b",
    }
    assert result.artifacts[1].mime == "text/csv"
    assert "'link', no plain file" in result.text
    assert (deck.workspace.root / "data.txt").read_text() == "inside\n"
    refused = deck.call("exec", action="python", code="1", files=["../secret.txt"])
    assert not refused.ok


def test_the_workspace_is_out_of_sight_unless_it_is_asked_for(python, deck):
    root = str(deck.workspace.root)
    look = f"import os; print(os.path.exists({root + '/data.txt'!r}) and open({root + '/data.txt'!r}).read())"
    assert python(f"try:\n    {look}\nexcept OSError: print('kept out')").stdout in {"False\n", "kept out\n"}
    assert python("import helper; print(helper.VALUE)", workspace="read").stdout == "42\n"
    refused = python("open('data.txt', 'w')", workspace="read")
    assert refused.exit_code == 1
    assert (deck.workspace.root / "data.txt").read_text() == "inside\n"


@needs_bubblewrap
def test_a_program_that_may_change_the_workspace_changes_no_repository_and_no_policy(python, deck):
    code = (
        "open('new.txt', 'w').write('made')\ntry: open('.git/config', 'w')\nexcept OSError: print('kept out')"
    )
    ran = python(code, workspace="write")
    if ran.isolation is not Isolation.BUBBLEWRAP:
        pytest.skip("bubblewrap does not work here")
    assert ran.stdout == "kept out\n"
    assert (deck.workspace.root / "new.txt").read_text() == "made"


def test_code_over_its_time_is_ended_and_its_output_stays(python):
    ran = python("print('begun', flush=True)\nwhile True: pass", timeout=1.5)
    assert ran.timed_out
    assert ran.stdout == "begun\n"
    assert "limit of 1.5 s" in ran.ended


# -- sessions


def test_a_session_keeps_its_names_and_shows_the_value_of_an_expression(python):
    python("x = 20\ndef double(n): return 2 * n", session="s")
    ran = python("print('seen')\ndouble(x) + 2", session="s")
    assert ran.stdout == "seen\n42\n"
    assert "session 's', call 2" in ran.session
    other = python("x", session="other")
    assert "NameError" in other.stderr
    assert other.exit_code == 1
    assert python("print(dir())").stdout.count("double") == 0


def test_an_error_in_a_session_is_told_with_its_line_and_the_session_lives_on(python):
    ran = python("y = 1\nraise ValueError('oh\\u0000no')", session="s")
    assert "line 2" in ran.stderr
    assert "raise ValueError" in ran.stderr
    assert "worker.py" not in ran.stderr
    assert "SyntaxError" in python("def", session="s").stderr
    assert python("import sys; sys.exit(4)", session="s").exit_code == 1
    assert python("y", session="s").stdout == "1\n"


def test_a_session_over_its_time_is_interrupted_and_keeps_its_names(python):
    python("kept = 'here'", session="s")
    late = python("import time; time.sleep(60)", session="s", timeout=0.5)
    assert late.timed_out
    assert "KeyboardInterrupt" in late.stderr
    assert python("kept", session="s").stdout == "'here'\n"


def test_a_session_that_does_not_give_in_is_ended_and_the_next_call_begins_anew(python):
    stubborn = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    late = python(stubborn, session="s", timeout=0.5)
    assert "has ended, its variables are gone" in late.session
    killed = python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", session="s")
    assert "has ended" in killed.session
    assert (killed.signal, killed.exit_code) == ("SIGKILL", -9)
    assert python("1 + 1", session="s").stdout == "2\n"


def test_a_session_cannot_be_made_to_lie_about_its_end_by_what_it_prints(python):
    ran = python("print('\\0' + 'a' * 24 + '\\0{\"ok\": false}')\nprint('x' * 300_000)", session="s")
    assert ran.exit_code == 0
    assert ran.stdout.endswith("xx\n")
    flood = python("kept = 1\nwhile True: print('y' * 10_000)", session="s")
    assert flood.stopped == "output"
    assert "more than 33554432 bytes of output" in flood.ended
    assert python("kept", session="s").stdout == "1\n"  # the code was ended, not the session


def test_code_of_a_session_that_reads_gets_no_requests_of_ours(python):
    assert "EOFError" in python("input()", session="s").stderr


def test_files_of_a_session_come_back_once_and_it_goes_with_its_deck(deck, python, eventually):
    first = deck.call("exec", action="python", code="open('plot.txt', 'w').write('1')", session="s")
    assert [file.name for file in first.artifacts] == ["plot.txt"]
    second = deck.call("exec", action="python", code="import os; print(os.getcwd())", session="s")
    assert second.artifacts == ()
    folder = second.value.stdout.strip()
    assert Path(folder).is_dir()
    ended = deck.call("exec", action="end_session", session="s")
    assert ended.value == "The session 's' has ended."
    assert not Path(folder).exists()
    again = python("import os; print(os.getcwd())", session="t").stdout.strip()
    deck.close()
    assert not Path(again).exists()


FILL = "n = 0\nwhile True:\n    open(str(n), 'wb').write(bytes(1 << 20)); n += 1"


@pytest.mark.parametrize(
    "code",
    [FILL, f"from threading import Thread\nThread(target=exec, args=({FILL!r}, {{}}), daemon=True).start()"],
    ids=["in a call", "between calls"],
)
def test_a_session_that_fills_the_disk_is_ended_and_its_folder_goes(
    deck, python, monkeypatch, code, eventually
):
    from tooldeck.tools import exec as exec_module

    monkeypatch.setattr(exec_module, "LIMITS", replace(exec_module.LIMITS, disk=8 << 20))
    folder = Path(python("import os; print(os.getcwd())", session="s").stdout.strip())
    stopped = python(code, session="s").stopped
    assert stopped == ("disk" if code == FILL else "")
    eventually(lambda: python("1", session="s").session == "session 's', call 1", 10)
    assert not folder.exists()


def test_a_fork_bomb_in_a_session_is_held_and_goes_with_it(deck, python, eventually):
    import psutil

    code = (
        "import os, time\ncount = 0\n"
        "try:\n"
        "    while count < 400:\n"
        "        if os.fork() == 0: time.sleep(60); os._exit(0)\n"
        "        count += 1\n"
        "except OSError: pass\n"
        "count"
    )
    before = len(psutil.Process().children(recursive=True))
    assert int(python(code, session="s").stdout) < 200
    assert len(psutil.Process().children(recursive=True)) > before + 20
    deck.call("exec", action="end_session", session="s")
    eventually(lambda: len(psutil.Process().children(recursive=True)) <= before, 10)


def test_there_is_an_end_to_the_number_of_sessions(deck, monkeypatch):
    monkeypatch.setattr("tooldeck.tools.executing.sessions.MOST", 1)
    assert deck.call("exec", action="python", code="1", session="a").ok
    refused = deck.call("exec", action="python", code="1", session="b")
    assert "end one with action='end_session' first" in refused.error


# -- programs and command lines


def test_a_program_is_given_its_words_as_they_are(shell):
    assert shell(argv=["echo", "a;b", "$HOME", "*"]).unwrap().stdout == "a;b $HOME *\n"
    assert shell(command="echo 'two words' x").unwrap().stdout == "two words x\n"
    assert shell(argv=["cat", "data.txt"]).unwrap().stdout == "inside\n"


REFUSED = [
    "ls; touch p",
    "ls && touch p",
    "ls & touch p",
    "ls | tee p",
    "ls\ntouch p",
    "ls $(touch p)",
    'ls "$(touch p)"',
    "ls `touch p`",
    "ls > p",
    "ls <(touch p)",
    "ls >> p",
    "LS=1 touch p",
    "ls ~",
    "ls *.py",
    "echo a # b",
]


@pytest.mark.parametrize("line", REFUSED)
def test_what_only_a_shell_understands_is_refused_and_named(shell, deck, line):
    result = shell(command=line)
    assert "only a shell understands" in result.error
    assert "deck.policy.command_lines" in result.error
    assert not (deck.workspace.root / "p").exists()


def test_an_allowed_beginning_lets_nothing_else_through(tmp_path):
    deck = Deck(policy=Policy("default", ["allow exec command=ls*"]), workspace=tmp_path)
    deck.add_builtins("exec")
    for line in [*REFUSED, "env touch p", "\\touch p", "/bin/ls; touch p"]:
        assert not deck.call("exec", action="shell", command=line, workspace="read").ok
    assert not deck.call("exec", action="shell", argv=["env", "ls"]).ok
    assert not deck.call("exec", action="shell", argv=["/bin/ls"]).ok
    assert not (tmp_path / "p").exists()
    assert deck.call("exec", action="shell", command="ls -la").ok


def test_quotes_make_plain_words_of_anything():
    for line in (
        "echo 'a;b | $c'",
        "grep -e 'x*' a.txt",
        'echo "a;b"',
        "echo a\\;b",
        "date +%s",
        "a=b/../c ls"[4:],
    ):
        assert shell_syntax(line) == ""
    assert split_words("echo 'a;b' \"c d\"") == ["echo", "a;b", "c d"]
    assert shell_syntax('echo "`id`"') != ""


def test_command_lines_run_where_the_policy_allows_them(shell, deck):
    deck.policy.command_lines = True
    assert shell(command="echo one | tr o 0; echo $((1 + 1))").unwrap().stdout == "0ne\n2\n"


def test_programs_are_found_on_the_path_or_in_the_workspace_and_nowhere_else(shell, deck, tmp_path):
    script = deck.workspace.root / "run.sh"
    script.write_text("#!/bin/sh\necho ran\n")
    script.chmod(0o755)
    assert shell(argv=["./run.sh"]).unwrap().stdout == "ran\n"
    outside = tmp_path / "out.sh"
    outside.write_text("#!/bin/sh\necho out\n")
    outside.chmod(0o755)
    for name in (str(outside), "../out.sh"):
        assert not shell(argv=[name]).ok
    missing = shell(argv=["no-such-program"])
    assert "'no-such-program' is not installed here" in missing.error
    assert not shell().ok
    assert not shell(argv=["ls"], command="ls").ok


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_javascript_runs_where_node_is(deck, tmp_path):
    code = (
        "console.log([1, 2].map(n => n * 2).join());\n"
        f"try {{ require('fs').readFileSync({str(tmp_path / 'secret.txt')!r}); console.log('read') }}\n"
        "catch (error) { console.log('kept out') }\n"
        "require('net').connect(80, '127.0.0.1').on('error', () => console.log('no network'));\n"
    )
    ran = deck.call("exec", action="javascript", code=code).unwrap()
    assert ran.stdout == "2,4\nkept out\nno network\n"


# -- what the policy demands


def test_nothing_runs_in_a_weaker_sandbox_than_the_policy_demands(tmp_path, monkeypatch):
    from tooldeck.guards import sandbox
    from tooldeck.guards.isolation import Walls

    only_limits = [
        Walls(Isolation.BUBBLEWRAP, why_not="the program 'bwrap' is not installed"),
        Walls(Isolation.LANDLOCK, why_not="the kernel offers version 0, 3 is needed"),
        Walls(Isolation.RLIMITS),
    ]
    monkeypatch.setattr(sandbox, "_tried", only_limits)
    deck = Deck(policy="auto", workspace=tmp_path)
    deck.add_builtins("exec")
    code = f"open({str(tmp_path / 'marker')!r}, 'w')"
    for arguments in ({"code": code}, {"code": code, "session": "s"}):
        refused = deck.call("exec", action="python", **arguments)
        assert isinstance(refused.exception, SetupError)
        assert "apt-get install bubblewrap" in refused.error
    assert not (tmp_path / "marker").exists()
    deck.policy.isolation = "rlimits"
    allowed = deck.call("exec", action="python", code=code)
    assert allowed.value.isolation is Isolation.RLIMITS
    assert "no isolation of network, files, processes" in allowed.text
    assert (tmp_path / "marker").exists()


def test_a_session_is_not_gone_on_with_where_the_policy_demands_more_by_now(deck, monkeypatch):
    from tooldeck.guards import sandbox
    from tooldeck.guards.isolation import Walls

    usual = [*background().submit(sandbox.levels).result(60)]
    monkeypatch.setattr(sandbox, "_tried", [Walls(Isolation.RLIMITS)])
    deck.policy.isolation = "rlimits"
    assert deck.call("exec", action="python", code="1", session="s").ok
    monkeypatch.setattr(sandbox, "_tried", usual)
    deck.policy.isolation = "landlock"
    refused = deck.call("exec", action="python", code="1", session="s")
    assert "weaker than the policy demands by now; end it first" in refused.error
    deck.call("exec", action="end_session", session="s")
    assert deck.call("exec", action="python", code="1", session="s").ok


def test_every_action_asks_by_default(tmp_path):
    deck = Deck(workspace=tmp_path)
    deck.add_builtins("exec")
    for arguments in ({"action": "python", "code": "1"}, {"action": "shell", "argv": ["ls"]}):
        assert deck.call("exec", arguments).status == "denied"


def test_an_interrupted_call_ends_its_program(deck, monkeypatch):
    import _thread

    timer = threading.Timer(1.0, _thread.interrupt_main)
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        deck.call("exec", action="python", code="import time; time.sleep(60)")
    timer.join()
    assert time.monotonic() - start < 20

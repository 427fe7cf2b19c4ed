"""lsp: real language servers over one project, and one that does what no server should."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import weakref
from pathlib import Path

import psutil
import pytest

from tooldeck import Decision, Deck
from tooldeck.core.errors import DefinitionError
from tooldeck.guards import sandbox
from tooldeck.guards.environment import environment
from tooldeck.guards.isolation import Isolation, Walls
from tooldeck.hosts.background import background
from tooldeck.tools.executing.sessions import Sessions
from tooldeck.tools.language import pool
from tooldeck.tools.language.diagnosing import diagnosed
from tooldeck.tools.language.lives import MOST_DEATHS
from tooldeck.tools.language.pool import Question
from tooldeck.tools.lsp import Languages, ServerKind

ODD = Path(__file__).parent.parent / "support" / "odd_language_server.py"
PROJECT = {
    "lamp.py": (
        'def on(level: int) -> str:\n    "Turn it 😀 on."\n    return f"{level}"\n\n\nx: int = on("a")\n'
    ),
    "use.py": "from lamp import on\r\n\r\ns = '😀漢字é'; print(on(3), on)\r\n",
    "messy.py": "import os\nimport  json\nx = [ 1,2 ]\n",
}


def read(root, path):
    return (root / path).read_bytes().decode()


def write(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="")


# -- real servers, started once


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A deck whose servers live as long as the tests here; each test writes the project anew."""
    root = tmp_path_factory.mktemp("project")
    write(root, PROJECT)
    made = Deck(policy="auto", workspace=root)
    made.add_builtins("lsp")
    yield made
    made.close()


def asker(deck):
    def ask(action, **arguments):
        return deck.call("lsp", {"action": action, **arguments}).unwrap()

    return ask


def refuser(deck):
    def refused(action, **arguments):
        result = deck.call("lsp", {"action": action, **arguments})
        assert result.status == "failed", result
        return result.error

    return refused


@pytest.fixture
def ask(real):
    write(real.workspace.root, PROJECT)
    return asker(real)


def missing(program):
    here = shutil.which(program, path=environment()["PATH"])
    return pytest.mark.skipif(here is None, reason=f"{program} is missing")


SERVERS = [
    pytest.param("ty", marks=missing("ty")),
    pytest.param("basedpyright", marks=missing("basedpyright-langserver")),
]


@pytest.mark.parametrize("server", SERVERS)
def test_places_and_changes_are_right_in_characters_across_files_of_either_line_end(real, ask, server):
    found = ask("references", path="lamp.py", line=1, symbol="on", server=server)
    assert [(one.path, one.line, one.column) for one in found.locations] == [
        ("lamp.py", 1, 5),
        ("lamp.py", 6, 10),
        ("use.py", 1, 18),
        ("use.py", 3, 20),
        ("use.py", 3, 27),
    ]
    assert found.locations[3].text == PROJECT["use.py"].splitlines()[2]
    target = ask("definition", path="use.py", line=3, symbol="on#2", server=server).locations
    assert [(one.path, one.line, one.column, one.inside) for one in target] == [("lamp.py", 1, 5, True)]
    by_column = ask("definition", path="use.py", line=3, column=27, server=server).locations
    assert by_column == target
    assert "level: int" in ask("hover", path="use.py", line=3, symbol="on", server=server).text

    planned = ask("check_rename", path="use.py", line=3, symbol="on", new_name="shine", server=server)
    assert read(real.workspace.root, "use.py") == PROJECT["use.py"]
    done = ask("rename", path="use.py", line=3, symbol="on", new_name="shine", server=server)
    assert planned.diff == done.diff
    assert {one.path for one in done.files} == {"lamp.py", "use.py"}
    for path in ("lamp.py", "use.py"):
        after = read(real.workspace.root, path)
        assert after == PROJECT[path].replace("on(", "shine(").replace("import on", "import shine").replace(
            ", on)", ", shine)"
        )


@pytest.mark.parametrize("server", SERVERS)
def test_what_changes_on_the_disk_is_known_at_the_next_question(real, ask, server):
    before = ask("diagnostics", paths=["lamp.py"], server=server)
    assert before.pending == ()
    assert {(one.location.line, one.severity) for one in before.diagnostics} == {(6, "error")}
    write(
        real.workspace.root, {"lamp.py": PROJECT["lamp.py"].replace("x: int", "x: str").replace('"a"', "1")}
    )
    after = ask("diagnostics", paths=["lamp.py"], server=server)
    assert (after.diagnostics, after.servers, after.pending) == ((), (server,), ())
    # A file that is not open in the server: the use of it is wrong now.
    write(real.workspace.root, {"lamp.py": "def off() -> int:\n    return 1\n"})
    wrong = ask("diagnostics", paths=["use.py"], server=server)
    assert next(one.location.line for one in wrong.diagnostics if one.severity == "error") == 1
    (real.workspace.root / "lamp.py").unlink()
    assert ask("diagnostics", paths=["use.py"], server=server).errors


@pytest.mark.parametrize("server", SERVERS)
def test_symbols_and_calls_are_told(ask, server):
    outline = ask("symbols", path="lamp.py", server=server)
    assert outline.symbols[0].name == "on"
    assert (outline.symbols[0].kind, outline.symbols[0].location.end_line) == ("function", 3)
    assert "on" in {one.name for one in ask("find_symbols", query="on", server=server).symbols}
    calls = ask("calls", path="lamp.py", symbol="on", server=server).calls
    assert {one.location.path: one.lines for one in calls} == {"lamp.py": (6,), "use.py": (3,)}


@pytest.mark.parametrize("server", SERVERS)
def test_a_symbol_without_a_line_is_what_the_file_declares(real, ask, server):
    text = (
        '__all__ = ["run"]\nwanted = "run"\n\n\ndef run() -> int:\n    return 1\n\n\n'
        "class A:\n    def run(self) -> int:\n        return run()\n\n\n"
        "class B:\n    def run(self) -> int:\n        return 2\n\n"
        "    def go(self) -> int:\n        return 3\n\n\n"
        "class C:\n    def go(self) -> int:\n        return 4\n"
    )
    write(real.workspace.root, {"twice.py": text})
    try:
        at = {
            symbol: ask("references", path="twice.py", symbol=symbol, server=server).locations
            for symbol in ("run", "A/run", "B.run", "A")
        }
        lines = {symbol: {one.line for one in found} for symbol, found in at.items()}
        assert lines["run"] >= {5, 11}
        assert (lines["A/run"], lines["B.run"], lines["A"]) == ({10}, {15}, {9})
        words = refuser(real)("hover", path="twice.py", symbol="go", server=server)
        assert "'go' is declared on lines 18, 23; say which line is meant" in words
    finally:
        (real.workspace.root / "twice.py").unlink()


@pytest.mark.parametrize("server", SERVERS)
def test_a_text_that_is_not_on_the_disk_is_looked_at_and_forgotten(real, ask, server):
    question = Question(Languages.of(real), "lamp.py", server)
    imagined = background().submit(diagnosed, question, "y: int = 'a'\n").result(60)
    assert [one.location.line for one in imagined[0].diagnostics] == [1]
    back = ask("diagnostics", paths=["lamp.py"], server=server)
    assert back.diagnostics[0].location.line == 6


@missing("ruff")
def test_a_linter_is_asked_beside_and_formats_and_mends(real, ask):
    messy = ask("diagnostics", paths=["messy.py"])
    assert "ruff" in messy.servers
    assert any(one.code == "F401" for one in messy.diagnostics)
    done = ask("format", path="messy.py")
    assert done.server == "ruff"
    assert (real.workspace.root / "messy.py").read_text().endswith("x = [1, 2]\n")
    offered = ask("code_actions", path="messy.py", line=1, server="ruff")
    titles = [one.title for one in offered.actions]
    assert "Ruff (F401): Remove unused import: `os`" in titles
    ask(
        "apply_code_action",
        path="messy.py",
        line=1,
        title=titles[titles.index("Ruff (F401): Remove unused import: `os`")],
    )
    assert "import os" not in (real.workspace.root / "messy.py").read_text()
    assert ask("format", path="messy.py").files == ()


def test_another_language_has_its_own_server(tmp_path, monkeypatch):
    programs = Path(".cache/servers/npm/node_modules/.bin").resolve()
    if not (programs / "tsc").exists():
        pytest.skip("TypeScript is not installed for the tests")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{programs}")
    write(
        tmp_path,
        {
            "lamp.ts": (
                'export function on(level: number) { return "😀" + level; }\n'
                'export const x: number = on("a");\n'
            ),
            "use.ts": 'import { on } from "./lamp";\nconsole.log("😀", on(3));\n',
        },
    )
    deck = Deck(policy="auto", workspace=tmp_path)
    deck.add_builtins("lsp")
    ask = asker(deck)
    found = ask("references", path="lamp.ts", symbol="on").locations
    assert [(one.path, one.line, one.column) for one in found] == [
        ("lamp.ts", 1, 17),
        ("lamp.ts", 2, 26),
        ("use.ts", 1, 10),
        ("use.ts", 2, 18),
    ]
    assert {one.location.line for one in ask("diagnostics", paths=["lamp.ts"]).diagnostics} == {2}
    ask("rename", path="use.ts", line=2, symbol="on", new_name="shine")
    assert (tmp_path / "use.ts").read_text("utf-8").count("shine") == 2
    deck.close()


def test_a_file_that_has_changed_since_the_preview_is_left_alone(real, ask):
    planned = ask("check_rename", path="lamp.py", symbol="on", new_name="shine")
    hashes = {one.path: one.before for one in planned.files}
    write(real.workspace.root, {"use.py": PROJECT["use.py"] + "on(4)\r\n"})
    words = refuser(real)("rename", path="lamp.py", symbol="on", new_name="shine", expect_hashes=hashes)
    assert "'use.py' was expected with the hash" in words
    assert (real.workspace.root / "lamp.py").read_text("utf-8") == PROJECT["lamp.py"]


@missing("ty")
def test_a_person_is_shown_the_diff_before_and_nothing_is_changed_until_then(real, ask):
    seen = []
    asking = Deck(
        workspace=real.workspace.root, approver=lambda request: seen.append(request.preview) or False
    )
    asking.add_builtins("lsp")
    asked = asking.call("lsp", action="rename", path="lamp.py", symbol="on", new_name="shine", server="ty")
    asking.close()
    assert asked.status == "denied"
    assert "+def shine(level: int) -> str:" in seen[0]
    assert "from lamp import shine" in seen[0]
    assert (real.workspace.root / "lamp.py").read_text("utf-8") == PROJECT["lamp.py"]


@missing("ty")
def test_nobody_approves_blindly_and_what_is_approved_is_what_was_shown(real, ask):
    """Where a server cannot say what would change nobody is asked; what changes meanwhile counts."""
    root, seen = real.workspace.root, []

    def approve(request):
        seen.append(request.preview)
        write(root, {"use.py": PROJECT["use.py"] + "on(4)\r\n"})
        return Decision(True)

    asking = Deck(workspace=root, approver=approve)
    asking.add_builtins("lsp")
    where = {"action": "rename", "path": "lamp.py", "new_name": "shine", "server": "ty"}
    unknown = asking.call("lsp", {**where, "symbol": "off"})
    assert (unknown.status, seen) == ("denied", [])
    assert "nobody can judge it without a preview" in unknown.error
    other = asking.call("lsp", {**where, "symbol": "on"})
    assert (other.status, len(seen)) == ("denied", 1)
    assert "would change something else by now" in other.error
    assert (root / "lamp.py").read_text("utf-8") == PROJECT["lamp.py"]
    assert asking.call("lsp", {**where, "symbol": "on"}).ok
    asking.close()
    assert "shine(4)" in (root / "use.py").read_text("utf-8")


def test_what_is_pointed_at_wrongly_is_named_with_what_is_there(real, ask):
    refused = refuser(real)
    assert "'off' is not on line 1, which is 'def on(level: int) -> str:'" in refused(
        "hover", path="lamp.py", line=1, symbol="off"
    )
    assert "'level' is not on line 2" in (words := refused("hover", path="lamp.py", line=2, symbol="level"))
    assert "it is on line 1, 3" in words
    assert "is on line 3 2 times, so there is no #3" in refused("hover", path="use.py", line=3, symbol="on#3")
    assert "There is no line 99" in refused("hover", path="lamp.py", line=99, symbol="on")
    assert "so no column 80" in refused("hover", path="lamp.py", line=1, column=80)
    assert "Say what is meant" in refused("hover", path="lamp.py", line=1)
    assert "There is no file 'none.py'" in refused("hover", path="none.py", symbol="x")
    assert "No language server is known for '.txt'" in refused("symbols", path="a.txt")
    assert "the tool code reads and changes their cells" in refused("symbols", path="a.ipynb")
    assert "did you mean 'ruff'?" in refused("symbols", path="lamp.py", server="ruf")
    assert "ruff does not answer textDocument/definition" in refused(
        "definition", path="lamp.py", symbol="on", server="ruff"
    )
    assert not real.call("lsp", action="symbols", path="../x.py").ok


@missing("clangd")
def test_a_server_that_skips_an_unchanged_text_looks_at_it_again(tmp_path):
    write(tmp_path, {"a.c": "int on(int level) { return level; }\nint bad(void) { return ; }\n"})
    deck = Deck(policy="auto", workspace=tmp_path)
    deck.add_builtins("lsp")
    ask = asker(deck)
    assert ask("symbols", path="a.c").symbols
    for _ in range(2):
        found = ask("diagnostics", paths=["a.c"])
        assert [(one.location.line, one.severity) for one in found.diagnostics] == [(2, "error")]
    deck.close()


# -- a server that does what it is told


def kind(mode, **more):
    python = Path(sys.executable).name
    return ServerKind(f"odd-{mode}", (python, "-B", "-S", str(ODD), mode), {".odd": "odd"}, "nothing",
                      reads=(str(ODD),), **more)  # fmt: skip


@pytest.fixture
def odd(tmp_path):
    """``odd("mode")`` is a deck whose only server for ``.odd`` files behaves so."""
    root = tmp_path / "root"
    write(root, {"a.odd": "abc\n", "b.odd": "b\n", ".git/config": "[core]\n"})
    write(tmp_path, {"out/secret.txt": "secret\n"})
    made = []

    def make(mode, **more):
        deck = Deck(policy="auto", workspace=root)
        deck.add_builtins("lsp")
        Languages.of(deck).add(kind(mode, **more))
        made.append(deck)
        return deck

    yield make
    for deck in made:
        deck.close()


def hovered(deck, **where):
    return json.loads(asker(deck)("hover", path="a.odd", **where).text)


LINES = "a😀b = fn()\r\nééx\r\n漢字y"


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("sixteen", [(0, 3), (1, 4), (2, 2), (2, 3), (0, 10)]),
        ("eight", [(0, 5), (1, 6), (2, 6), (2, 7), (0, 12)]),
        ("thirty-two", [(0, 2), (1, 4), (2, 2), (2, 3), (0, 9)]),
    ],
)
def test_positions_are_sent_in_the_units_that_were_agreed(odd, mode, expected):
    deck = odd(mode)
    write(deck.workspace.root, {"a.odd": LINES})
    asked = [
        {"line": 1, "symbol": "b"},
        {"line": 2, "symbol": "x"},
        {"line": 3, "symbol": "y"},
        {"line": 3, "column": 4},
        {"line": 1, "column": 10},
    ]
    sent = [hovered(deck, **where) for where in asked]
    assert [(one["position"]["line"], one["position"]["character"]) for one in sent] == expected
    assert sent[0]["documents"] == [LINES]  # as the file is, with its own ends


@pytest.mark.parametrize(
    ("mode", "start", "stop"), [("sixteen", 3, 4), ("eight", 5, 6), ("thirty-two", 2, 3)]
)
def test_edits_come_back_to_the_same_place_and_leave_the_rest(odd, mode, start, stop):
    deck = odd(mode, env={"FROM": str(start), "TO": str(stop)})
    write(deck.workspace.root, {"a.odd": LINES})
    asker(deck)("rename", path="a.odd", line=1, symbol="b", new_name="bulb")
    assert read(deck.workspace.root, "a.odd") == LINES.replace("b", "bulb", 1)
    write(deck.workspace.root, {"a.odd": LINES})
    asker(deck)("format", path="a.odd")
    assert read(deck.workspace.root, "a.odd") == LINES.replace("b", "long\r\nname", 1)


def test_a_name_that_would_come_into_the_middle_of_something_is_refused(odd):
    deck = odd("plain", env={"FROM": "2", "TO": "3"})  # it counts characters, and says UTF-16
    write(deck.workspace.root, {"a.odd": "😀ab = fn(ab)\n"})
    words = refuser(deck)("rename", path="a.odd", symbol="ab", new_name="bulb")
    assert "where 'bulb' does not stand; nothing was changed" in words
    assert read(deck.workspace.root, "a.odd") == "😀ab = fn(ab)\n"


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("outside", "outside of the workspace"),
        ("up", "outside of the workspace"),
        ("repository", ".git"),
        ("web", "no file"),
        ("overlap", "about the same place"),
        ("backwards", "that is none"),
        ("no-edit", "that is none"),
        ("no-object", "that is none"),
        ("strange-step", "'explode'"),
        ("huge-text", "longer than"),
        ("missing-file", "there is no such file"),
    ],
)
def test_a_change_that_is_not_ours_or_has_no_sense_changes_nothing_at_all(odd, tmp_path, mode, words):
    deck = odd(mode)
    assert words in refuser(deck)("rename", path="a.odd", symbol="abc", new_name="N")
    assert (deck.workspace.root / "a.odd").read_text() == "abc\n"
    assert (deck.workspace.root / ".git/config").read_text() == "[core]\n"
    assert (tmp_path / "out" / "secret.txt").read_text() == "secret\n"


def test_files_are_made_moved_and_taken_away_by_an_edit(odd):
    deck = odd("files")
    done = asker(deck)("rename", path="a.odd", symbol="abc", new_name="N")
    assert {(one.status, one.path) for one in done.files} == {
        ("A", "sub/new.odd"),
        ("A", "c.odd"),
        ("D", "a.odd"),
        ("D", "b.odd"),
    }
    root = deck.workspace.root
    assert {one.name for one in root.rglob("*.odd")} == {"c.odd", "new.odd"}
    assert (root / "c.odd").read_text() == "Nbc\n"
    assert (root / "sub/new.odd").read_text() == "made\n"


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("garbage", "no message of the protocol"),
        ("no-json", "no message of the protocol"),
        ("huge", "999999999999 bytes"),
        ("half", "is gone"),
        ("deep", "no message of the protocol"),
        ("long-line", "no message of the protocol"),
        ("noise", "Welcome to the odd server"),
        ("dies", "exited with code 7"),
        ("many-words", "the last word"),
        ("odd-encoding", "'klingon'"),
        ("refuses", "no, not this one"),
    ],
)
def test_a_server_that_breaks_the_protocol_fails_one_call_with_the_reason(odd, mode, words):
    assert words in refuser(odd(mode))("hover", path="a.odd", symbol="abc")


@pytest.mark.parametrize("mode", ["ids", "flood"])
def test_what_a_server_says_to_nobody_is_passed_over(odd, mode):
    assert hovered(odd(mode), symbol="abc")["position"] == {"line": 0, "character": 0}


def test_requests_of_a_server_are_answered(odd):
    deck = odd("asks", settings={"odd": {"level": 3}})
    configuration, registered, applied, broken, unknown = hovered(deck, symbol="abc")
    assert configuration == [3, None]
    assert registered is None
    assert applied["applied"] is False
    assert broken["code"] == -32603
    assert unknown["code"] == -32601


def test_a_server_reads_the_workspace_and_changes_nothing(odd):
    deck = odd("writes")
    assert hovered(deck, symbol="abc") == []
    assert not (deck.workspace.root / "written.txt").exists()


def test_a_weaker_server_is_replaced_where_the_policy_demands_more(odd, monkeypatch):
    usual = [*background().submit(sandbox.levels).result(60)]
    monkeypatch.setattr(sandbox, "_tried", [Walls(Isolation.RLIMITS)])
    deck = odd("writes")
    words = refuser(deck)("hover", path="a.odd", symbol="abc")
    assert "apt-get install bubblewrap" in words
    deck.policy.isolation = "rlimits"
    assert str(deck.workspace.root / "written.txt") in hovered(deck, symbol="abc")
    monkeypatch.setattr(sandbox, "_tried", usual)
    deck.policy.isolation = "landlock"
    assert hovered(deck, symbol="abc") == []


def test_no_path_leads_out_of_the_workspace(odd, tmp_path):
    deck = odd("plain")
    write(tmp_path, {"out/secret.odd": "abc\n"})
    (deck.workspace.root / "link.odd").symlink_to(tmp_path / "out" / "secret.odd")
    (deck.workspace.root / "sub").symlink_to(tmp_path / "out")
    refused = refuser(deck)
    for path in ("link.odd", "sub/secret.odd", "../out/secret.odd", str(tmp_path / "out" / "secret.odd")):
        for action, more in (
            ("hover", {"symbol": "abc"}),
            ("rename", {"symbol": "abc", "new_name": "x"}),
            ("format", {}),
        ):
            assert "workspace" in refused(action, path=path, **more)
        assert "workspace" in refused("diagnostics", paths=[path])
    assert (tmp_path / "out" / "secret.odd").read_text() == "abc\n"


def test_places_outside_are_marked_and_not_read_and_nonsense_is_left_out(odd):
    found = asker(odd("plain"))("definition", path="a.odd", symbol="abc")
    assert [(one.path, one.inside, one.text) for one in found.locations] == [
        ("a.odd", True, "abc"),
        ("/etc/passwd", False, ""),
    ]
    assert "(outside of the workspace)" in found._tool_answer_().text


@pytest.mark.parametrize(
    ("mode", "pending"), [("plain", False), ("late", False), ("never", True), ("stale", True)]
)
def test_diagnostics_are_those_of_this_very_text_or_pending(odd, mode, pending):
    deck = odd(mode)
    ask = asker(deck)
    for text in ("one\n", "two\n"):
        write(deck.workspace.root, {"a.odd": text})
        told = ask("diagnostics", paths=["a.odd"], timeout=1.2 if pending else 20)
        if pending:
            assert told.pending == ((f"odd-{mode}", "a.odd"),)
            assert "not done" in told._tool_answer_().text
        else:
            assert [one.message for one in told.diagnostics] == [text]
            assert told.pending == ()


def test_a_server_that_does_not_answer_costs_its_time_and_is_ended_and_started_anew(odd):
    refused = refuser(deck := odd("silent"))
    begun = time.monotonic()
    assert "did not answer textDocument/hover within 0.3 s" in refused(
        "hover", path="a.odd", symbol="abc", timeout=0.3
    )
    first = next(one for one in asker(deck)("status").servers if one.name == "odd-silent")
    assert first.state == "running"
    assert "It was ended" in refused("hover", path="a.odd", symbol="abc", timeout=0.3)
    assert time.monotonic() - begun < 15
    assert not psutil.pid_exists(first.pid)


def test_a_server_that_never_is_ready_does_not_hold_the_call(odd, monkeypatch):
    monkeypatch.setattr("tooldeck.tools.language.server.START_SECONDS", 0.5)
    assert "did not answer initialize within 0.5 s" in refuser(odd("deaf"))(
        "hover", path="a.odd", symbol="abc"
    )


def test_a_server_that_dies_again_and_again_is_given_up_until_it_is_restarted(odd):
    deck = odd("dies")
    refused = refuser(deck)
    for _ in range(MOST_DEATHS):
        assert "exited with code 7" in refused("hover", path="a.odd", symbol="abc")
    assert "action='restart' starts it once more" in refused("hover", path="a.odd", symbol="abc")
    assert next(one.state for one in asker(deck)("status").servers if one.name == "odd-dies") == "failed"
    asker(deck)("restart", server="odd-dies")
    assert "exited with code 7" in refused("hover", path="a.odd", symbol="abc")


def test_a_server_that_is_missing_is_named_with_the_command_that_installs_it(odd):
    deck = odd("plain")
    none = ServerKind("none", ("no-such-server",), {".none": "none"}, "npm install -g no-such-server")
    Languages.of(deck).add(none)
    write(deck.workspace.root, {"a.none": ""})
    words = refuser(deck)("symbols", path="a.none")
    assert "'none' is not installed here; install it with: npm install -g no-such-server." in words
    with pytest.raises(DefinitionError, match="has to begin with a dot"):
        ServerKind("x", ("x",), {"py": "python"}, "x")


def test_an_interrupted_call_leaves_the_server_fit_for_the_next(odd):
    import _thread
    import threading

    deck = odd("silent")
    timer = threading.Timer(1.0, _thread.interrupt_main)
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        deck.call("lsp", action="hover", path="a.odd", symbol="abc", timeout=60)
    timer.join()
    assert "did not answer" in refuser(deck)("hover", path="a.odd", symbol="abc", timeout=0.2)
    assert time.monotonic() - begun < 20


# -- the end


def living(word):
    everybody = psutil.process_iter(["cmdline", "status"])
    return [
        one.pid
        for one in everybody
        if word in (one.info["cmdline"] or ()) and one.info["status"] != psutil.STATUS_ZOMBIE
    ]


def test_servers_end_with_their_deck_and_leave_no_folder(odd, eventually):
    deck = odd("closing")
    hovered(deck, symbol="abc")
    server = next(iter(Languages.of(deck)._servers.values()))
    assert living("closing")
    assert server._folder.is_dir()
    deck.close()
    eventually(lambda: not living("closing"), 10)
    assert not server._folder.exists()


def test_servers_and_sessions_end_with_a_deck_that_is_forgotten(odd, eventually):
    deck = Deck(policy="auto", workspace=odd("plain").workspace.root)
    deck.add_builtins("lsp", "exec")
    Languages.of(deck).add(kind("forgotten"))
    assert deck.call("lsp", action="hover", path="a.odd", symbol="abc").ok
    assert deck.call("exec", action="python", code="1", session="s").ok
    folder = Sessions.of(deck)._by_name["s"].folder
    gone = weakref.ref(deck)
    del deck
    eventually(lambda: gc.collect() >= 0 and gone() is None and not living("forgotten"), 15)
    eventually(lambda: not folder.exists(), 10)


def test_a_killed_kernel_leaves_no_server(odd, tmp_path, eventually):
    root = odd("plain").workspace.root
    code = (
        "import sys\nsys.path.insert(0, sys.argv[2])\n"
        "from tooldeck import Deck\nfrom tooldeck.tools.lsp import Languages, ServerKind\n"
        "deck = Deck(policy='auto', workspace=sys.argv[1])\ndeck.add_builtins('lsp')\n"
        f"Languages.of(deck).add(ServerKind('odd', {kind('orphan').command!r}, {{'.odd': 'odd'}}, '',"
        f" reads=({str(ODD)!r},)))\n"
        "print(deck.call('lsp', action='hover', path='a.odd', symbol='abc').ok, flush=True)\n"
        "import time; time.sleep(60)\n"
    )
    words = [sys.executable, "-c", code, str(root), str(Path(__file__).parents[2])]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as kernel:
        assert kernel.stdout.readline().strip() == "True"
        assert living("orphan")
        os.kill(kernel.pid, signal.SIGKILL)
    eventually(lambda: not living("orphan"), 10)


def test_a_server_that_nobody_asks_is_ended(odd, monkeypatch, eventually):
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.3)
    deck = odd("idle")
    hovered(deck, symbol="abc")
    eventually(lambda: not living("idle"), 10)
    assert hovered(deck, symbol="abc")["position"] == {"line": 0, "character": 0}

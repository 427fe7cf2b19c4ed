from __future__ import annotations

import sys

import pytest

from tooldeck.core.errors import DefinitionError
from tooldeck.guards.environment import environment
from tooldeck.mcp.errors import McpConnectError
from tooldeck.mcp.target import Command, InProcess, Url, default_label, find_program, read_target


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://127.0.0.1:8000/mcp", Url("http://127.0.0.1:8000/mcp")),
        ("  HTTPS://Example.org/mcp  ", Url("HTTPS://Example.org/mcp")),
        (["http://localhost/mcp"], Url("http://localhost/mcp")),
        ("https-proxy-tool --x", Command(("https-proxy-tool", "--x"))),
        ("http:notaurl", Command(("http:notaurl",))),
        (
            "python server.py --url http://x.example",
            Command(("python", "server.py", "--url", "http://x.example")),
        ),
        ("'./my server.py'", Command(("./my server.py",))),
        ('run "two words" three\\ words', Command(("run", "two words", "three words"))),
        (["./my server.py", "a b"], Command(("./my server.py", "a b"))),
    ],
)
def test_only_what_begins_with_http_or_https_is_a_url_and_quotes_work(given, expected):
    assert read_target(given) == expected


def test_demo_is_the_server_that_comes_along():
    target = read_target("demo")
    assert isinstance(target, Command)
    assert target.words[0] == sys.executable
    assert target.words[-1].endswith("demo_server.py")
    assert default_label(target) == "demo"


def test_any_other_object_is_a_server_in_this_process():
    thing = object()
    assert read_target(thing) == InProcess(thing)


@pytest.mark.parametrize("given", ["", "   ", [], None, 7, {"command": "x"}, '""'])
def test_no_target_is_told_in_one_sentence_with_examples(given):
    with pytest.raises(DefinitionError, match=r"python server\.py|a URL or 'demo'"):
        read_target(given)


def test_a_quote_without_its_partner_is_told():
    with pytest.raises(DefinitionError, match="no closing quotation"):
        read_target('python "server.py')


@pytest.mark.parametrize(
    ("target", "label"),
    [
        ("uvx mcp-server-git --repository .", "git"),
        ("python -m mcp_server_time", "time"),
        ("python3.12 ./weather_server.py --port 3", "weather"),
        ("npx -y @modelcontextprotocol/server-everything@2025.1.1", "everything"),
        ("node build/index.js", "index"),
        ("/opt/tools/mcp-notes.exe", "notes"),
        ("https://mcp.example.org:8080/mcp?x=1", "example-org"),
        ("http://user:secret@127.0.0.1/mcp", "127-0-0-1"),
        ("mcp-server", "mcp-server"),
    ],
)
def test_a_label_is_the_telling_word(target, label):
    assert default_label(read_target(target)) == label


def test_a_missing_program_is_diagnosed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env = environment()
    (tmp_path / "server.py").write_text("print()")
    (tmp_path / "folder").mkdir()
    cases = {
        "nothing-here": "no program 'nothing-here' on the PATH.",
        "server.py": "write './server.py'",
        "./server.py": "may not be executed",
        "./folder": "is a folder",
        "/no/where": "does not exist",
    }
    for words, said in cases.items():
        with pytest.raises(McpConnectError) as caught:
            find_program(Command((words,)), env)
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_program_that_only_the_given_path_hides_is_told():
    with pytest.raises(McpConnectError, match="not on the one given in env"):
        find_program(Command(("ls",)), {"PATH": "/nowhere"})


@pytest.mark.parametrize("given", ["ws://127.0.0.1:9/mcp", "file:///etc/passwd", "htp://127.0.0.1/mcp"])
def test_an_address_of_another_kind_is_no_command(given):
    with pytest.raises(DefinitionError, match="begin with http:// or https://"):
        read_target(given)

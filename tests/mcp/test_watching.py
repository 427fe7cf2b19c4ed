"""Servers that are started again when their files change."""

from __future__ import annotations

import queue
import sys
from pathlib import Path

import pytest

from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.mcp.connections import Connections
from tooldeck.mcp.errors import McpClosed, McpRestarting

pytest.importorskip("watchfiles")
LIMIT = 30.0
SERVER = (Path(__file__).parent / "servers" / "raw.py").read_text()


@pytest.fixture
def written(tmp_path):
    (tmp_path / "wire.py").write_text((Path(__file__).parent / "servers" / "wire.py").read_text())
    file = tmp_path / "mine.py"
    file.write_text(SERVER)
    return file


@pytest.fixture
def servers(shelf, written):
    made = Connections(shelf)
    made.told = queue.Queue()
    made.on_notice = made.told.put
    made.connect([sys.executable, str(written)], label="mine")
    yield made
    made.close_all()


def called(tool, **values):
    return tool.executor.submit(tool.invoke, values).result(LIMIT)


def saved(file, text):
    """As editors do it: another file in place of the one that was."""
    beside = file.with_suffix(".tmp")
    beside.write_text(text)
    beside.replace(file)


def test_a_server_is_started_again_with_a_notice_and_what_changed_waits_for_a_person(
    shelf, servers, written, is_alive, eventually
):
    assert servers.watch("mine") == [written]
    before = servers["mine"].session.pid
    saved(written, SERVER.replace("Give back.", "Say what it is given."))
    told = servers.told.get(timeout=LIMIT)
    assert told.startswith("mine was started again, since mine.py changed; tools: ")
    assert "~echo" in told
    assert "Not accepted yet: %mcp approve mine." in told
    assert servers["mine"].session.pid != before
    assert eventually(lambda: not is_alive(before), 10)
    assert shelf.tools["echo"].available() is not None

    saved(written, "this is no Python")
    told = servers.told.get(timeout=LIMIT)
    assert told.startswith("mine does not start since mine.py changed: ")
    assert "SyntaxError" in told
    assert servers["mine"].state == "dead"
    assert "SyntaxError" in servers["mine"].reason
    assert "echo" in servers["mine"]  # listed as it was
    with pytest.raises(McpClosed, match="SyntaxError"):
        called(shelf.tools["seen"])
    saved(written, SERVER)
    assert servers.told.get(timeout=LIMIT).startswith("mine was started again")
    assert shelf.tools["echo"].available is None


# Starts only when the file ``go`` is there, and says that it waits in the file ``here``.
HELD = """import pathlib, time
place = pathlib.Path(__file__).parent
(place / "here").touch()
while not (place / "go").exists():
    time.sleep(0.01)
"""


@pytest.fixture
def starting(servers, written, eventually):
    """A watched server that is being started again, until somebody calls this."""
    servers.watch("mine")
    here, go = written.with_name("here"), written.with_name("go")
    saved(written, SERVER.replace("import argparse\n", HELD + "import argparse\n", 1))
    assert eventually(here.exists, LIMIT)
    yield go.touch
    go.touch()


def test_a_call_that_comes_while_its_server_starts_again_waits_for_it(servers, shelf, starting):
    old = servers["mine"]
    assert (old.state, servers.watched("mine")) == ("restarting", True)
    assert "mine (restarting)" in repr(servers)
    assert old.reason == "it is being started again"
    tool = shelf.tools["echo"]
    call = tool.executor.submit(tool.invoke, {"a": 1})
    with pytest.raises(McpRestarting, match=r"deck\.mcp\['mine'\] has the new one"):
        old.prompts.fetch()
    assert not call.done()
    starting()
    assert call.result(LIMIT).text == '{"a": 1}'
    assert "was started again" in servers.told.get(timeout=LIMIT)
    assert old.latest is servers["mine"]
    assert old.latest.state == "ready"
    assert called(tool, a=2).text == '{"a": 2}'  # one of before finds the new session as well


def test_a_call_waits_no_longer_than_its_limit_for_a_server_that_starts_again(servers, shelf, starting):
    servers["mine"].session.timeout = 0.05
    with pytest.raises(McpRestarting, match=r"starting again and was not ready within the limit of 0\.05 s"):
        called(shelf.tools["echo"])
    starting()
    assert "was started again" in servers.told.get(timeout=LIMIT)


def test_closing_a_server_that_starts_again_leaves_neither_label_nor_tools(servers, shelf, starting):
    old, job = servers["mine"], servers._watches["mine"]
    tool = shelf.tools["echo"]
    call = tool.executor.submit(tool.invoke, {})
    servers.close("mine")
    assert job.finished.wait(LIMIT)
    with pytest.raises(McpClosed, match="it was closed"):
        call.result(LIMIT)
    assert (dict(servers), shelf.tools, old.state) == ({}, {}, "closed")


def test_a_tool_that_is_gone_since_the_restart_is_told_to_the_call_that_waited(
    servers, shelf, starting, written
):
    tool = shelf.tools["echo"]
    call = tool.executor.submit(tool.invoke, {})
    servers["mine"].declared._without = ("echo",)
    starting()
    with pytest.raises(McpRestarting, match="since the server was started again it is gone"):
        call.result(LIMIT)


def test_who_reconnects_meanwhile_gets_the_server_that_is_on_its_way(servers, starting):
    old = servers["mine"]
    both = [old.session.executor.submit(servers.areconnect, "mine") for _ in range(2)]
    starting()
    assert {id(one.result(LIMIT)) for one in both} == {id(servers["mine"])}
    assert servers["mine"] is not old


def test_closing_ends_the_watch_and_files_beside_it_start_nothing(servers, written):
    servers.watch("mine")
    pid = servers["mine"].session.pid
    (written.parent / "other.py").write_text("x = 1")
    with pytest.raises(queue.Empty):
        servers.told.get(timeout=1.5)
    assert servers["mine"].session.pid == pid
    job = servers._watches["mine"]
    servers.close("mine")
    assert job.finished.wait(LIMIT)
    assert not servers.watched("mine")
    assert servers.unwatch("mine") is False


def test_what_cannot_be_watched_is_told_in_one_sentence(servers, http_url, monkeypatch):
    servers.connect(http_url, label="away")
    with pytest.raises(DefinitionError, match="'away' is no program of this machine"):
        servers.watch("away")
    with pytest.raises(DefinitionError, match=r"no file or folder '.*nowhere' to watch"):
        servers.watch("mine", "nowhere")
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(SetupError, match=r"pip install 'tooldeck\[watch\]'"):
        servers.watch("mine")

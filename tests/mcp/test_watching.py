"""Servers that are started again when their files change."""

from __future__ import annotations

import queue
import sys
from pathlib import Path

import pytest

from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.mcp.connections import Connections

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
    saved(written, SERVER)
    assert servers.told.get(timeout=LIMIT).startswith("mine was started again")
    assert shelf.tools["echo"].available is None


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

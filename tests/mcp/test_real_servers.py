"""Servers that other people wrote, as they are installed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tooldeck.mcp.connections import Connections
from tooldeck.mcp.handlers import Answer
from tooldeck.registry.json_schema import JsonSchemaParameters

LIMIT = 40.0


@pytest.fixture
def servers(shelf):
    made = Connections(shelf)
    yield made
    made.close_all()


def called(tool, **arguments):
    return tool.executor.submit(tool.invoke, arguments).result(LIMIT)


def test_the_time_server_tells_the_time(shelf, servers):
    pytest.importorskip("mcp_server_time", reason="pip install mcp-server-time")
    servers.connect([sys.executable, "-m", "mcp_server_time", "--local-timezone", "UTC"])
    assert list(servers) == ["time"]
    value = called(
        shelf.tools["convert_time"], source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo"
    )
    assert json.loads(value.text)["target"]["datetime"].endswith("T21:00:00+09:00")


def test_the_git_server_reads_a_repository(shelf, servers, tmp_path):
    pytest.importorskip("mcp_server_git", reason="pip install mcp-server-git")
    for words in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first", "--allow-empty"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    connection = servers.connect([sys.executable, "-m", "mcp_server_git"], reads=["git_log", "git_status"])
    assert shelf.tools["git_log"].read_only
    assert not shelf.tools["git_commit"].read_only
    assert not connection.notes
    assert "first" in called(shelf.tools["git_log"], repo_path=str(tmp_path)).text


def test_the_npm_server_that_has_one_of_everything(shelf, servers, npm_server):
    servers.handlers.on_elicit = lambda question: Answer("decline")
    told = []
    servers.handlers.on_progress = told.append
    connection = servers.connect(npm_server("everything"), label="everything")
    assert not connection.malformed
    for remote in connection.session.tools:
        assert connection[remote.name].parameters == remote.input_schema
    assert "hello" in called(connection["echo"], message="hello").text
    picture = called(connection["get-tiny-image"])
    assert picture.images
    assert picture.images[0].data.startswith(b"\x89PNG")
    called(connection["trigger-long-running-operation"], duration=1, steps=2)
    assert [one.progress for one in told] == [1, 2]
    problems = JsonSchemaParameters(connection["get-sum"].parameters).check({"a": "x"}).problems
    assert {problem.path for problem in problems} == {"a", "b"}

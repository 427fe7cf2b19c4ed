"""Servers that other people wrote, as they are installed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tooldeck.core.questions import Answer
from tooldeck.mcp.connections import Connections
from tooldeck.mcp.errors import McpAnswerError, McpToolError
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


def test_the_fetch_server_fetches_a_page_of_this_machine(shelf, servers):
    pytest.importorskip("mcp_server_fetch", reason="pip install mcp-server-fetch")

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            found = self.path == "/page"
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<html><body><h1>Tides</h1><p>High water at noon.</p></body></html>")

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        servers.connect([sys.executable, "-m", "mcp_server_fetch", "--allow-private-ips"], label="fetch")
        assert (
            "High water at noon."
            in called(shelf.tools["fetch"], url=f"http://127.0.0.1:{site.server_port}/page").text
        )
        with pytest.raises((McpAnswerError, McpToolError), match="404"):
            called(shelf.tools["fetch"], url=f"http://127.0.0.1:{site.server_port}/nowhere")
        site.shutdown()


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
    prompts, resources = connection.prompts, connection.resources
    assert "Oslo" in prompts["args-prompt"](city="Oslo").text
    assert prompts["completable-prompt"].complete("name", "", department="Engineering")[0] == "Alice"
    assert prompts["resource-prompt"](resourceType="Text", resourceId="1").messages[1].parts
    for resource in resources.values():
        assert resource.read().data
    text, blob = resources.templates.values()
    assert text(resourceId="1").data.startswith("Resource 1")
    assert blob(resourceId="2").data.startswith(b"Resource 2")
    with resources.subscribe(next(iter(resources))) as subscription:
        called(connection["toggle-subscriber-updates"])
        assert subscription.wait(LIMIT)


def test_the_npm_server_for_files_reads_below_its_folder_only(shelf, servers, npm_server, tmp_path):
    (tmp_path / "a.txt").write_text("inside")
    connection = servers.connect(npm_server("filesystem", str(tmp_path)), label="files", trust=True)
    assert connection["read_text_file"].read_only
    assert not connection["write_file"].read_only
    assert called(connection["read_text_file"], path=str(tmp_path / "a.txt")).structured == {
        "content": "inside"
    }
    with pytest.raises(McpToolError, match="denied"):
        called(connection["read_text_file"], path="/etc/hostname")


def test_the_npm_server_that_remembers_gives_rows(shelf, servers, npm_server, tmp_path):
    env = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
    connection = servers.connect(npm_server("memory"), label="memory", env=env)
    entity = {"name": "Ada", "entityType": "person", "observations": ["counts"]}
    called(connection["create_entities"], entities=[entity])
    assert called(connection["read_graph"]).rows == [entity]


def test_the_npm_server_that_thinks_in_steps(shelf, servers, npm_server):
    connection = servers.connect(npm_server("sequential-thinking"), label="steps")
    (name,) = connection
    step = {"thought": "first", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
    assert called(connection[name], **step).parsed["thoughtHistoryLength"] == 1


def test_nothing_grave_is_found_in_honest_servers(shelf, servers, npm_server):
    for name in ("everything", "memory", "sequential-thinking"):
        findings = servers.connect(npm_server(name), label=name).findings
        assert [str(one) for one in findings if one.severity == "danger"] == []

"""Long calls that a server makes tasks of, in both forms of the protocol."""

from __future__ import annotations

import json
import sys

import pytest

from tooldeck.core.questions import Answer
from tooldeck.mcp.connections import Connections
from tooldeck.mcp.errors import McpAnswerError, McpError, McpToolError
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.session import Session

LIMIT = 40.0


@pytest.fixture(scope="module", params=["auto", "legacy"])
def session(request):
    path = __file__.replace("test_tasks.py", "servers/tasks.py")
    made = Session("tasks", [sys.executable, "-S", path], mode=request.param, timeout=1.0)
    made.open().result(LIMIT)
    yield made
    made.close().result(LIMIT)


def test_a_task_is_followed_to_its_result_with_its_progress_and_no_limit_but_that_of_a_look(session):
    told = []
    session.handlers = Handlers(on_progress=told.append)
    value = session.call("slow", {"looks": 25}).result(LIMIT)  # each look takes 50 ms: longer than the limit
    assert json.loads(value.text) == "done" if session.protocol > "2026" else value.text == "done"
    assert {one.message for one in told} >= {"begun", "3 to go", "1 to go"}
    task = session.tasks.all()[-1]
    assert (task.tool, task.status, task.over) == ("slow", "completed", True)
    assert task.seconds > 1.0


def test_a_task_that_fails_is_a_failed_call(session):
    with pytest.raises((McpAnswerError, McpToolError), match="it broke"):
        session.call("fails").result(LIMIT)
    assert session.tasks.all()[-1].status == "failed"


def test_cancelling_the_call_cancels_the_task_at_the_server(session, eventually):
    job = session.call("endless")
    assert eventually(lambda: session.tasks.all() and session.tasks.all()[-1].tool == "endless", 10)
    job.cancel()
    assert job.finished.wait(LIMIT)
    assert session.tasks.all()[-1].status == "cancelled"
    assert "endless" in session.call("seen").result(LIMIT).text


def test_a_task_is_cancelled_by_its_id_and_its_call_ends(session, eventually):
    job = session.call("endless")
    assert eventually(lambda: session.tasks.all()[-1].status == "working", 10)
    known = session.tasks.all()[-1].id
    session.executor.submit(session.tasks.cancel, known).result(LIMIT)
    if session.protocol > "2026":
        with pytest.raises(McpError, match="cancelled"):
            job.result(LIMIT)
    else:
        job.result(LIMIT)
    with pytest.raises(KeyError, match="no task 'x'"):
        session.executor.submit(session.tasks.cancel, "x").result(LIMIT)


def test_what_a_task_asks_is_put_before_the_person(session):
    session.handlers = Handlers(on_elicit=lambda question: Answer("accept", {"name": "Ada"}))
    value = session.call("asks").result(LIMIT)
    if session.protocol > "2026":
        assert json.loads(value.text)["who"] == {"action": "accept", "content": {"name": "Ada"}}


def test_a_real_server_s_task_is_followed(shelf, npm_server):
    servers = Connections(shelf)
    try:
        made = servers.connect(npm_server("everything"), label="everything", timeout=3.0)
        tool = made["simulate-research-query"]
        text = tool.executor.submit(tool.invoke, {"topic": "tides"}).result(LIMIT).text
        assert "Research Report: tides" in text
        assert made.session.tasks.all()[-1].status == "completed"
    finally:
        servers.close_all()

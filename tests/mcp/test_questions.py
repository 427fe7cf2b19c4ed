"""What a server wants in the middle of a call: an answer, a look at its progress, a line in the log."""

from __future__ import annotations

import asyncio
import contextvars
import json
import threading

import pytest

from tooldeck.core.questions import Answer, Question
from tooldeck.mcp.errors import McpTimeout, McpToolError
from tooldeck.mcp.handlers import Handlers, LogLine, Progress

LIMIT = 40.0


def test_two_questions_are_asked_and_the_answers_reach_the_tool(in_either_era):
    asked: list[Question] = []

    def answer(question):
        asked.append(question)
        return Answer("accept", {"name": "Ada"} if "name" in question.message else {"colour": "green"})

    in_either_era.handlers.on_elicit = answer
    assert in_either_era.call("two_questions").result(LIMIT).text == "Ada likes green"
    assert {one.message for one in asked} == {"Your name?", "Your colour?"}
    assert {(one.asker, one.tool, one.mode) for one in asked} == {("library", "two_questions", "form")}
    assert {tuple(one.schema["properties"]) for one in asked} == {("name",), ("colour",)}


def test_questions_of_the_newer_protocol_are_open_at_the_same_time(connected, library):
    both = asyncio.Event()
    waiting: list[str] = []

    async def answer(question):
        waiting.append(question.message)
        if len(waiting) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 20)
        return Answer("accept", {"name": "Ada", "colour": "red"})

    session = connected(library, handlers=Handlers(on_elicit=answer))
    assert session.call("two_questions").result(LIMIT).text == "Ada likes red"


def test_a_question_nobody_can_answer_is_declined_and_nothing_hangs(in_either_era):
    with pytest.raises(McpToolError, match=r"(?i)declin|cancel"):
        in_either_era.call("two_questions").result(LIMIT)


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_what_the_person_decides_reaches_the_server(action, raw, connected):
    session = connected(raw(), handlers=Handlers(on_elicit=lambda question: Answer(action)))
    assert json.loads(session.call("question").result(LIMIT).text) == {"action": action}


def test_a_handler_that_fails_declines_and_says_so_in_the_log(raw, connected, caplog):
    def broken(question):
        raise ValueError("no screen")

    session = connected(raw(), handlers=Handlers(on_elicit=broken))
    assert json.loads(session.call("question").result(LIMIT).text) == {"action": "decline"}
    assert "no screen" in caplog.text


def test_an_accepted_form_arrives_as_it_was_filled(raw, connected):
    session = connected(
        raw(), handlers=Handlers(on_elicit=lambda question: Answer("accept", {"name": "Ada"}))
    )
    answer = json.loads(session.call("question").result(LIMIT).text)
    assert answer == {"action": "accept", "content": {"name": "Ada"}}


def test_the_time_a_question_is_open_does_not_count_against_the_server(raw, connected):
    opened, gate = threading.Event(), asyncio.Event()

    async def thoughtful(question):
        opened.set()
        await asyncio.wait_for(gate.wait(), 20)
        return Answer("accept", {"name": "Ada"})

    session = connected(raw(), timeout=0.5, handlers=Handlers(on_elicit=thoughtful))
    job = session.call("question")
    assert opened.wait(LIMIT)
    with pytest.raises(McpTimeout):  # takes longer than the limit of the call whose question is open
        session.call("sleep", timeout=0.8).result(LIMIT)
    assert not job.done()
    session.executor.call_soon(gate.set)
    assert json.loads(job.result(LIMIT).text)["action"] == "accept"


def test_an_interrupted_call_withdraws_its_question_and_the_session_goes_on(raw, connected):
    opened, withdrawn = threading.Event(), threading.Event()

    async def waits(question):
        opened.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            withdrawn.set()
            raise

    session = connected(raw(), handlers=Handlers(on_elicit=waits))
    job = session.call("question")
    assert opened.wait(LIMIT)
    job.cancel()
    assert withdrawn.wait(LIMIT)
    assert session.call("echo").result(LIMIT).text == "{}"


def test_an_interrupted_call_withdraws_its_question_in_either_era(in_either_era):
    opened, withdrawn = threading.Event(), threading.Event()

    async def waits(question):
        opened.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            withdrawn.set()
            raise

    in_either_era.handlers.on_elicit = waits
    job = in_either_era.call("two_questions")
    assert opened.wait(LIMIT)
    job.cancel()
    assert withdrawn.wait(LIMIT)
    assert in_either_era.call("add", {"a": 1, "b": 2}).result(LIMIT).data == {"result": 3}


def test_a_question_is_answered_in_the_context_of_the_call_it_belongs_to(in_either_era):
    cell = contextvars.ContextVar("cell", default="none")
    heard: list[str] = []

    def answer(question):
        heard.append(cell.get())
        return Answer("accept", {"name": "x", "colour": "y"})

    in_either_era.handlers.on_elicit = answer
    for number in ("1", "2"):
        contextvars.copy_context().run(
            lambda number=number: (cell.set(number), in_either_era.call("two_questions").result(LIMIT))
        )
    assert heard == ["1", "1", "2", "2"]


def test_progress_is_told_while_the_call_runs(in_either_era):
    told: list[Progress] = []
    in_either_era.handlers.on_progress = told.append
    assert in_either_era.call("steps").result(LIMIT).text == "done"
    assert [(one.tool, one.progress, one.total, one.message) for one in told] == [
        ("steps", 1, 3, "step 1"),
        ("steps", 2, 3, "step 2"),
        ("steps", 3, 3, "step 3"),
    ]


def test_what_a_server_says_for_the_log_is_told(raw, connected):
    told: list[LogLine] = []
    session = connected(raw(), handlers=Handlers(on_log=told.append))
    session.call("talk").result(LIMIT)
    assert told == [LogLine("server", "warning", "watch out", "raw")]


def test_checking_results_never_stops_the_session_loop_for_an_import():
    # jsonschema takes seconds to import where JupyterLab is installed; a call must not wait for that.
    import subprocess
    import sys

    code = (
        "import sys;"
        "from tooldeck.mcp.session import Session;"
        "s = Session('demo', 'demo'); s.open().result(50);"
        "assert 'jsonschema' in sys.modules; before = set(sys.modules);"
        "s.call('city', {'name': 'Oslo'}).result(20);"
        "new = {m.split('.')[0] for m in set(sys.modules) - before}; assert not new, new;"
        "s.close().result(20)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=55)

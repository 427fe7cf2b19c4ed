"""Rounds of one request in the log: found by what they share, whatever a server sends."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from tests.mcp.conftest import LIMIT
from tooldeck.mcp.frames import FrameLog
from tooldeck.mcp.rounds import in_rounds

TASKS = Path(__file__).with_name("servers") / "tasks.py"


class Wire:
    """Writes a log by hand."""

    def __init__(self, most=2_000):
        self.log = FrameLog(most=most)
        self._next = 0

    def ask(self, method="tools/call", **params):
        self._next += 1
        request = JSONRPCRequest(jsonrpc="2.0", id=self._next, method=method, params=params)
        self.log.add(request, sent=True)
        return self._next

    def answer(self, number, **result):
        self.log.add(JSONRPCResponse(jsonrpc="2.0", id=number, result=result), sent=False)

    def wants_input(self, number, state=None):
        more = {} if state is None else {"requestState": state}
        self.answer(number, resultType="input_required", inputRequests={"q": {}}, **more)

    def told(self, method, **params):
        self.log.add(JSONRPCNotification(jsonrpc="2.0", method=method, params=params), sent=False)

    def rounds(self):
        return in_rounds(self.log.exchanges())

    def counts(self):
        return [one.count for one in self.rounds()]


@pytest.fixture
def wire():
    return Wire()


@pytest.mark.parametrize("states", [("one", "two"), (None, None)])
def test_two_calls_that_want_input_at_once_keep_their_rounds_apart(wire, states):
    calls = [wire.ask(name="book", arguments={"to": to}) for to in ("Oslo", "Rome")]
    for number, state in zip(calls, states, strict=True):
        wire.wants_input(number, state)
    for to, state in zip(("Rome", "Oslo"), reversed(states), strict=True):
        more = {} if state is None else {"requestState": state}
        again = wire.ask(name="book", arguments={"to": to}, inputResponses={"q": {}}, **more)
        wire.answer(again, content=[])
    assert wire.counts() == [2, 2]
    for one in wire.rounds():
        assert len({str(part.params["arguments"]) for part in one.exchanges}) == 1


def test_a_plain_call_and_a_round_without_a_beginning_stay_by_themselves(wire):
    wire.wants_input(wire.ask(name="book", arguments={}))
    wire.ask(name="book", arguments={})  # begun anew, not gone on with
    wire.ask(name="other", arguments={}, requestState="unheard of")
    wire.ask("tasks/get", taskId="nobody's")
    assert wire.counts() == [1, 1, 1, 1]


def test_a_task_is_one_request_with_its_looks_and_says_how_it_stands(wire):
    wire.answer(wire.ask(name="slow"), resultType="task", taskId="a", status="working")
    wire.answer(wire.ask(name="slow"), task={"taskId": "b", "status": "working"})
    for task in ("b", "a"):
        wire.answer(wire.ask("tasks/get", taskId=task), taskId=task, status="working")
    wire.told("notifications/tasks/status", taskId="b", status="failed")
    first, second = wire.rounds()
    assert (first.count, first.task) == (2, "task working")
    assert (second.count, second.task, len(second.exchanges)) == (2, "task failed", 3)
    wire.answer(wire.ask("tasks/cancel", taskId="a"))
    assert wire.rounds()[0].task == "task cancelled"


def test_the_fault_of_a_task_is_that_of_its_result(wire):
    wire.answer(wire.ask(name="slow"), resultType="task", taskId="a", status="working")
    inner = {"content": [{"type": "text", "text": "no paper"}], "isError": True}
    wire.answer(wire.ask("tasks/get", taskId="a"), taskId="a", status="completed", result=inner)
    (one,) = wire.rounds()
    assert (one.task, one.fault) == ("", "no paper")


@pytest.mark.parametrize(
    "result",
    [
        {"task": {"taskId": 7, "status": ["x"]}},
        {"task": "a", "taskId": "a", "status": None},
        {"resultType": "input_required", "requestState": {"deep": [1]}},
        {"taskId": "a", "status": "<b>\u202e" * 999},
    ],
)
def test_what_no_protocol_has_breaks_nothing(wire, result):
    wire.answer(wire.ask(name="odd"), **result)
    wire.ask("tasks/get", taskId=["a"])
    wire.ask("tasks/get", taskId="a")
    wire.ask(name="odd", requestState={"deep": [1]})
    assert sum(len(one.exchanges) for one in wire.rounds()) == 4
    assert all(len(one.task) < 60 for one in wire.rounds())


def test_a_flood_of_rounds_is_one_request_of_what_is_kept_and_quick():
    wire = Wire(most=10_000)
    wire.wants_input(wire.ask(name="ask", arguments={}), "0")
    for number in range(9_998):
        wire.wants_input(wire.ask(name="ask", arguments={}, requestState=str(number)), str(number + 1))
    begun = time.process_time()
    (one,) = wire.rounds()
    assert one.count == 9_999
    assert time.process_time() - begun < 20  # a second on a small machine; a square of it would be minutes
    wire.wants_input(wire.ask(name="ask", arguments={}, requestState="9998"), "z")
    wire.wants_input(wire.ask(name="ask", arguments={}, requestState="z"), "zz")
    assert wire.counts() == [10_000]  # its beginning is not kept any more


def test_rounds_whose_connection_ended_wait_no_more(wire):
    wire.answer(wire.ask(name="slow"), resultType="task", taskId="a", status="working")
    wire.ask("tasks/get", taskId="a")
    wire.log.hang_up()
    (one,) = wire.rounds()
    assert one.last.lost
    assert one.last.answer is None
    assert one.task == "task working when the connection ended"
    wire.answer(wire.ask(name="slow"), resultType="task", taskId="b", status="working")
    assert wire.rounds()[-1].task == "task working"


def test_a_real_task_is_one_request_in_both_forms(connected):
    for mode in ("auto", "legacy"):
        session = connected([sys.executable, "-S", str(TASKS)], mode=mode)
        session.call("slow", {"looks": 3}).result(LIMIT)
        (one,) = [found for found in in_rounds(session.log.exchanges()) if found.first.subject == "slow"]
        assert one.count >= 4
        assert one.seconds > one.first.seconds
        assert (one.task, one.fault) == ("", "")

"""A server's tools in a deck: the same pipeline, the same guards."""

from __future__ import annotations

import threading

import pytest

from tooldeck.core.approval import Decision
from tooldeck.core.call import current_call
from tooldeck.core.questions import Answer
from tooldeck.core.settings import BreakerSettings
from tooldeck.core.vocabulary import Status
from tooldeck.deck import Deck
from tooldeck.mcp.errors import McpToolError


async def yes(request):
    return Decision(approved=True)


@pytest.fixture
def deck():
    made = Deck(approver=yes)
    yield made
    made.close()


def test_a_remote_tool_runs_through_the_deck_and_its_text_is_fenced(deck):
    deck.mcp.connect("demo")
    result = deck.call("city", name="Oslo")
    assert result.status is Status.OK
    assert result.value["country"] == "Norway"
    assert "Norway" in result.text
    assert result.text != result.value.text
    assert "mcp demo" in result.text


async def test_a_remote_tool_may_be_awaited(deck, raw):
    await deck.mcp.aconnect(raw(), label="one")
    result = await deck.acall("echo", x=1)
    assert result.value.text == '{"x": 1}'


def test_a_remote_tool_is_called_like_a_function(deck):
    connection = deck.mcp.connect("demo")
    assert connection["add"](a=1, b=2)["result"] == 3.0
    assert deck["add"](a=1, b=2).data == {"result": 3.0}


def test_what_the_user_did_not_declare_asks_and_what_he_did_does_not(raw):
    asked: list[str] = []

    async def ask(request):
        asked.append(request.tool.name)
        return Decision(approved=False, note="not today")

    deck = Deck(approver=ask)
    try:
        deck.mcp.connect(raw(), label="one", reads="echo")
        assert deck.call("echo").ok
        assert deck.call("seen").status is Status.DENIED
        assert asked == ["seen"]
    finally:
        deck.close()


def test_arguments_are_checked_against_the_server_s_schema_before_anybody_is_asked():
    asked: list[str] = []

    async def ask(request):
        asked.append(request.tool.name)

    deck = Deck(approver=ask)
    try:
        deck.mcp.connect("demo")
        result = deck.call("add", a="one")
        assert result.status is Status.INVALID
        assert {problem.path for problem in result.problems} == {"a", "b"}
        assert not asked
    finally:
        deck.close()


def test_failures_that_a_tool_reports_open_its_breaker_and_words_alone_never_do(deck, raw):
    deck.mcp.connect(raw(), label="one", breaker=BreakerSettings(threshold=3, cooldown=60))
    ends = [deck.call("bad") for _ in range(5)]
    assert [end.status for end in ends] == [Status.FAILED] * 3 + [Status.TRIPPED] * 2
    assert all("quota exceeded" in (end.error or "") for end in ends)
    assert isinstance(ends[0].exception, McpToolError)
    assert [deck.call("odd").status for _ in range(5)] == [Status.OK] * 5


def test_the_end_of_a_server_is_the_end_of_a_call_with_its_reason(deck, raw):
    deck.mcp.connect(raw(), label="one")
    assert "exited with code 1" in deck.call("die").error
    assert "deck.mcp.reconnect('one')" in deck.call("echo").error
    deck.mcp.reconnect("one")
    assert deck.call("echo").ok


def test_a_server_that_cannot_be_reached_is_left_alone_with_all_its_tools_until_it_is_there_again(deck, raw):
    deck.mcp.connect(raw(), label="one", breaker=BreakerSettings(threshold=3, cooldown=60))
    deck.call("die")
    ends = [deck.call(name) for name in ("echo", "seen", "odd", "echo")]
    assert [end.status for end in ends] == [Status.FAILED] * 2 + [Status.TRIPPED] * 2
    assert "odd: its server 'one' could not be reached 3 times in a row" in ends[2].error
    assert deck.breaker("seen").state.failures == 0
    assert deck.breaker("seen", "one").state is deck.breaker("odd", "one").state
    deck.mcp.reconnect("one")
    assert deck.call("odd").ok
    assert deck.breaker("seen", "one").quiet


def test_a_server_and_its_tools_are_called_no_oftener_than_declared(deck, raw):
    made = deck.mcp.connect(raw(), label="raw", rate="3/h", rates={"ec*": "2/h", "nothere": "1/s"})
    assert [deck.call("echo").status for _ in range(3)] == ["ok", "ok", "limited"]
    assert deck.call("seen").ok
    refused = deck.call("seen")
    assert refused.status == "limited"
    assert "seen was not called: its server 'raw' may be called 3 times an hour" in refused.error
    assert "The server has no tool 'nothere' to declare a rate of" in made.notes
    deck.mcp.reconnect("raw")
    assert deck.call("seen").status == "limited"  # to start it again is no way around


def test_a_call_past_the_server_s_limit_ends_with_the_limit_named(deck, raw):
    deck.mcp.connect(raw(), label="one", timeout=0.3)
    result = deck.call("sleep")
    assert result.status == "timeout"
    assert "sleep of the MCP server 'one' took longer than its limit of 0.3 s" in result.error
    with pytest.raises(TimeoutError):
        result.unwrap()
    assert deck.call("seen").value["cancelled"]


def test_an_empty_answer_is_a_value(deck, raw):
    deck.mcp.connect(raw(), label="one")
    result = deck.call("empty")
    assert result.ok
    assert "(empty result)" in result.text


def test_a_result_that_breaks_the_tool_s_promise_is_kept_with_a_note(deck, raw):
    deck.mcp.connect(raw(), label="one")
    result = deck.call("misfit")
    assert result.value.structured == {"n": "seven"}
    assert [note.text for note in result.notes] == [
        "The result does not fit the tool's own output schema: n: must be an integer"
    ]
    assert not deck.call("mix").notes


def test_a_question_is_answered_while_the_deck_waits(deck):
    deck.mcp.handlers.on_elicit = lambda question: Answer("accept", {"size": "large", "milk": True})
    deck.mcp.connect("demo")
    assert deck.call("order_coffee", drink="tea").value.text == "one large tea with milk"


def test_while_a_person_answers_a_server_the_clock_of_the_tool_around_the_call_stands_still(deck):
    left = []

    def answer(_question):
        clock = current_call().log.outer.clock
        left.append(clock.left())
        threading.Event().wait(0.02)  # a person thinks; there is nothing to wait for
        left.append(clock.left())
        return Answer("accept", {"size": "large", "milk": True})

    deck.mcp.handlers.on_elicit = answer
    deck.mcp.connect("demo")
    deck.add(lambda: deck.call("order_coffee", drink="tea").ok, name="around", effects="none", timeout=60)
    assert deck.call("around").value is True
    assert left[0] == left[1] < 60


def test_schemas_are_exported_as_the_server_gave_them(deck, raw):
    connection = deck.mcp.connect("demo")
    schemas = {tool.name: tool.input_schema for tool in connection.session.tools}
    assert {tool["name"]: tool["inputSchema"] for tool in deck.export("mcp")} == schemas


def test_closing_the_deck_closes_every_server(raw, is_alive):
    deck = Deck(approver=yes)
    pids = [deck.mcp.connect(raw(), label=label).session.pid for label in ("a", "b")]
    deck.close()
    assert not deck.tools
    assert not any(is_alive(pid) for pid in pids)

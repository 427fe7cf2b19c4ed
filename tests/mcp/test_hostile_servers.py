"""Servers that mean harm: floods stay bounded, lists end, and looking at a connection calls nothing."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import psutil
import pytest

from tests.mcp.conftest import LIMIT, SERVERS
from tooldeck import Deck
from tooldeck.core.questions import Answer
from tooldeck.mcp.errors import McpAnswerError, McpClosed, McpConnectError
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.names import deck_names
from tooldeck.mcp.session import Session, State
from tooldeck.mcp.stderr import StderrFile
from tooldeck.mcp.tap import MOST_TOOLS


def hostile(*shape: str) -> list[str]:
    return [sys.executable, "-S", str(SERVERS / "hostile.py"), *shape]


@pytest.fixture
def deck() -> Iterator[Deck]:
    deck = Deck(policy="auto")
    yield deck
    deck.close()


@pytest.mark.parametrize("shape", ["many", "endless"])
def test_a_list_of_tools_without_end_is_cut_and_says_so(shape: str, connected: Callable[..., Any]) -> None:
    session = connected(hostile(shape))
    assert len(session.tools) == MOST_TOOLS
    assert "cut" in str(session.malformed[-1])


def test_names_for_thousands_of_tools_take_no_time() -> None:
    names = [f"t{number}" for number in range(50_000)]
    assert len(set(deck_names("s", names, lambda _name: True, {}).values())) == len(names)


def test_displaying_a_connection_calls_no_tool(deck: Deck) -> None:
    from IPython.core.formatters import DisplayFormatter

    made = deck.mcp.connect(hostile("display"), label="s")
    DisplayFormatter().format(made)
    assert "_repr_html_" in made.tools
    assert not hasattr(made, "_repr_html_")
    assert deck.history() == []


def test_thousands_of_list_changes_cost_a_few_readings(connected: Callable[..., Any]) -> None:
    session = connected(hostile())
    session.call("changes", {"count": 2_000}).result(LIMIT)
    assert int(session.call("echo").result(LIMIT).text) < 1_000


def test_a_slow_listener_hears_the_latest_progress_not_every_one(connected: Callable[..., Any]) -> None:
    heard: list[float] = []

    async def slow(report: Any) -> None:
        heard.append(report.progress)
        await asyncio.sleep(0.05)

    session = connected(hostile(), handlers=Handlers(on_progress=slow))
    session.call("progress", {"count": 1_000}).result(LIMIT)
    assert heard[0] == 1
    assert heard[-1] == 1_000
    assert len(heard) < 200


def test_lines_of_a_flooded_log_are_left_out_and_counted(connected: Callable[..., Any]) -> None:
    heard: list[str] = []

    async def slow(line: Any) -> None:
        heard.append(str(line.data))
        await asyncio.sleep(0.2)

    session = connected(hostile(), handlers=Handlers(on_log=slow))
    session.call("logs", {"count": 2_000}).result(LIMIT)
    session.close().result(LIMIT)
    assert heard[0] == "0"
    assert len(heard) < 2_000
    assert any("left out" in line for line in heard)


def test_few_questions_are_open_at_the_same_time(connected: Callable[..., Any]) -> None:
    now: set[int] = set()
    most: list[int] = []

    async def think(question: Any) -> Answer:
        now.add(id(question))
        most.append(len(now))
        await asyncio.sleep(0.2)
        now.discard(id(question))
        return Answer("accept", {})

    session = connected(hostile(), handlers=Handlers(on_elicit=think))
    session.call("questions", {"count": 300}).result(LIMIT)
    assert max(most) <= 8


def test_a_server_cannot_ask_without_end_in_one_call(connected: Callable[..., Any]) -> None:
    asked: list[Any] = []

    def think(question: Any) -> Answer:
        asked.append(question)
        return Answer("decline")

    session = connected(hostile(), handlers=Handlers(on_elicit=think))
    session.call("nag", {"count": 200}).result(LIMIT)
    assert len(asked) == 50
    session.call("nag", {"count": 1}).result(LIMIT)
    assert len(asked) == 51


@pytest.fixture(scope="module")
def one_session() -> Iterator[Session]:
    session = Session("server", hostile())
    session.open().result(LIMIT)
    yield session
    assert session.state is State.READY
    session.close().result(LIMIT)


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":%ID%,"result":{"content":[{"type":"text","text":"cut o',
        '{"jsonrpc": "2.0", "id": %ID%}',
        '{"jsonrpc":"2.0","id":%ID%,"error":{"code":"x","message":5}}',
        '{"result":{"content":[}, "jsonrpc":"2.0","id":%ID%}',
        '[{"jsonrpc":"2.0","id":%ID%,"result":{"content":[]}}]',
        '{"jsonrpc":"2.0","id":%ID%,"result":{"n":' + '{"a":' * 100_000 + "1" + "}" * 100_001 + "}",
        '{"jsonrpc":"2.0","id":%ID%,"result":{"n":' + "9" * 10_000 + "}}",
    ],
    ids=["cut", "neither", "error", "typescript", "batch", "deep", "long-number"],
)
def test_a_broken_answer_ends_its_call_and_not_the_session(one_session: Session, line: str) -> None:
    with pytest.raises(McpAnswerError, match=r"say of the MCP server .* is no message of the protocol"):
        one_session.call("say", {"lines": [line]}).result(LIMIT)


def test_letters_that_are_no_unicode_are_replaced(one_session: Session) -> None:
    line = '{"jsonrpc":"2.0","id":%ID%,"result":{"content":[{"type":"text","text":"a\\ud800 \xff"}]}}'
    assert one_session.call("say", {"lines": [line]}).result(LIMIT).text == "a? \ufffd"


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%TOKEN%,"progress":1'
        + "0" * 400
        + "}}",
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%TOKEN%,"progress":NaN}}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}',
        '{"jsonrpc":"2.0","id":%ID%,"method":"elicitation/create","params":{"message":{}}}',
        '{"jsonrpc":"2.0","id":777,"result":{"content":[]}}',
        'seen: {"jsonrpc":"2.0","id":%ID%,"result":{',
    ],
    ids=["huge", "nan", "odd-id", "own-id", "nobody-asked", "no-answer"],
)
def test_what_makes_no_sense_is_passed_over(one_session: Session, line: str) -> None:
    assert one_session.call("say", {"lines": [line], "count": 0}).result(LIMIT).text


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"protocolVersion": "1999-01-01", "capabilities": {}}, "Unsupported protocol version.*1999-01-01"),
        ({"protocolVersion": "2025-11-25"}, r"no valid MCP: capabilities: Field required\.$"),
    ],
)
def test_a_server_that_is_given_up_is_not_said_to_have_left(
    connected: Callable[..., Any], answer: dict[str, Any], reason: str
) -> None:
    program = f"""
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = {{**{answer!r}, "serverInfo": {{"name": "old", "version": "1"}}}}
    error = {{"code": -32601, "message": "no"}}
    said = {{"result": result}} if asked["method"] == "initialize" else {{"error": error}}
    if "id" in asked:
        print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], **said}}), flush=True)
"""
    with pytest.raises(McpConnectError, match=reason) as caught:
        connected([sys.executable, "-S", "-c", program])
    assert "exited" not in str(caught.value)
    assert "never calls" not in str(caught.value)


def test_a_line_without_end_ends_the_session_within_bounded_memory(connected: Callable[..., Any]) -> None:
    session = connected(hostile())
    before = psutil.Process().memory_info().rss
    with pytest.raises(McpClosed):
        session.call("line", {"count": 400}).result(LIMIT)
    assert psutil.Process().memory_info().rss - before < 300 * 2**20


def test_a_flood_on_stderr_fills_no_disk(connected: Callable[..., Any], eventually: Any) -> None:
    session = connected(hostile("stderr"))
    file = session._link.process._stderr.file
    sizes: list[int] = []

    def cut_twice() -> bool:
        sizes.append(os.fstat(file.fileno()).st_size)
        return sum(1 for one, other in pairwise(sizes) if other < one) >= 2

    assert eventually(cut_twice, 30)
    assert eventually(lambda: [line for line in session.stderr(1) if line.startswith("eee")], 10)


def test_a_cut_file_goes_on_at_its_new_end() -> None:
    kept = StderrFile()
    os.write(kept.file.fileno(), b"old\n" * 10)
    kept.file.truncate(0)
    os.write(kept.file.fileno(), b"new\n")
    kept.close()
    assert kept.lines(5) == ["new"]


def test_threads_that_connect_the_same_label_at_once_leave_one_server(deck: Deck, is_alive: Any) -> None:
    made: list[Any] = []
    threads = [
        threading.Thread(target=lambda: made.append(deck.mcp.connect(hostile(), label="s"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert len(made) == 4
    deck.close()
    for connection in made:
        connection.session.close().result(LIMIT)
    assert not any(is_alive(connection.session.pid) for connection in made)
    assert len(deck.mcp) == 0


def test_a_forked_child_does_not_speak_through_the_parents_server() -> None:
    program = """
import os, sys
from tooldeck import Deck
deck = Deck(policy="auto")
deck.mcp.connect("demo")
child = os.fork()
if child == 0:
    result = deck.call("add", a=1, b=2)
    os._exit(0 if "forked" in (result.error or "") else 1)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
ok = deck.call("add", a=1, b=2).ok
deck.close()
sys.exit(code if ok else 2)
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=60, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()

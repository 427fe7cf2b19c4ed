from __future__ import annotations

import socket
import threading
import time

import pytest

from tooldeck.core.errors import DefinitionError
from tooldeck.core.questions import Answer
from tooldeck.mcp.errors import McpConnectError, McpError
from tooldeck.mcp.handlers import Handlers

LIMIT = 40.0


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_server_over_http_is_called_asked_and_cancelled(mode, http_url, connected, eventually):
    handlers = Handlers(on_elicit=lambda question: Answer("accept", {"name": "Ada", "colour": "red"}))
    told: list[float] = []
    handlers.on_progress = lambda progress: told.append(progress.progress)
    session = connected(http_url, mode=mode, handlers=handlers)
    assert session.call("add", {"a": 1, "b": 2}).result(LIMIT).data == {"result": 3}
    assert session.call("two_questions").result(LIMIT).text == "Ada likes red"
    session.call("steps").result(LIMIT)
    assert told == [1, 2, 3]
    assert len(session.call("large", {"size": 3_000_000}).result(LIMIT).text) == 3_000_000

    def stopped() -> int:
        return session.call("how_many_stopped").result(LIMIT).data["result"]

    before = stopped()
    job = session.call("wait_long")
    session.call("add", {"a": 1, "b": 2}).result(LIMIT)
    job.cancel()
    assert job.finished.wait(LIMIT)
    assert eventually(lambda: stopped() == before + 1, 15)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_http_server_that_dies_in_a_call_is_an_error_in_bounded_time(mode, serving, connected):
    port, _ = serving("http")
    session = connected(f"http://127.0.0.1:{port}/mcp", timeout=10, mode=mode)
    start = time.monotonic()
    with pytest.raises(McpError, match="'server'"):
        session.call("die").result(LIMIT)
    with pytest.raises(McpError, match="'server'"):
        session.call("add", {"a": 1, "b": 2}).result(LIMIT)
    assert time.monotonic() - start < 25


def test_an_address_that_refuses_is_told_in_one_sentence(connected):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(McpConnectError) as caught:
        connected(f"http://127.0.0.1:{port}/mcp", "away")
    message = str(caught.value)
    assert f"'away' (http://127.0.0.1:{port}/mcp): it refuses connections" in message
    assert "\n" not in message


def test_an_address_that_speaks_no_mcp_is_told(connected):
    def serve(listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                client.recv(65536)
                client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        with pytest.raises(McpConnectError, match=r"answered with the HTTP status 404\."):
            connected(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp")


def test_an_address_that_accepts_and_says_nothing_is_given_up(connected):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        with pytest.raises(McpConnectError, match=r"did not answer within 0\.5 s"):
            connected(url, connect_timeout=0.5)


@pytest.mark.parametrize("transport", ["auto", "sse"])
def test_a_server_of_the_older_transport_is_found_and_called(transport, serving, connected):
    port, _ = serving("sse")
    handlers = Handlers(on_elicit=lambda question: Answer("accept", {"name": "Ada", "colour": "red"}))
    session = connected(f"http://127.0.0.1:{port}/sse", transport=transport, handlers=handlers)
    assert session.transport == "sse"
    assert session.call("add", {"a": 1, "b": 2}).result(LIMIT).data == {"result": 3}
    assert session.call("two_questions").result(LIMIT).text == "Ada likes red"
    assert len(session.call("large", {"size": 400_000}).result(LIMIT).text) == 400_000


def test_headers_reach_a_server_of_the_older_transport_and_its_end_is_noticed(serving, connected, eventually):
    port, process = serving("sse")
    session = connected(f"http://127.0.0.1:{port}/sse", headers={"X-Asked-By": "tooldeck"})
    process.kill()
    assert eventually(lambda: session.state == "dead", 15)
    with pytest.raises(McpError, match="is over"):
        session.call("add", {"a": 1, "b": 2}).result(LIMIT)


@pytest.mark.parametrize("transport", ["auto", "http"])
def test_an_address_that_is_no_server_is_named_with_the_status_it_gave(transport, http_url, connected):
    with pytest.raises(McpConnectError, match=r"answered with the HTTP status 404"):
        connected(http_url.replace("/mcp", "/nowhere"), transport=transport)


def test_a_transport_that_there_is_not_is_refused(connected):
    with pytest.raises(DefinitionError, match="transport must be auto, http, sse, got 'websocket'"):
        connected("http://127.0.0.1:1/mcp", transport="websocket")

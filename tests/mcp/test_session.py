from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from tooldeck.core.errors import DefinitionError, TooldeckError
from tooldeck.hosts.background import background
from tooldeck.mcp.errors import McpClosed, McpError, McpRefused, McpTimeout, McpToolError
from tooldeck.mcp.session import Session, State

LIMIT = 40.0
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.mark.parametrize("mode", ERAS)
def test_the_demo_server_connects_calls_and_closes_in_both_protocol_eras(mode, connected):
    session = connected("demo", mode=mode)
    assert (session.state, session.protocol, session.server_name) == (
        State.READY,
        ERAS[mode],
        "tooldeck-demo",
    )
    assert session.call("add", {"a": 2, "b": 3}).result(LIMIT).data == {"result": 5.0}
    session.close().result(LIMIT)
    assert session.state is State.CLOSED


def test_connecting_calling_and_closing_may_happen_on_different_threads(raw, is_alive):
    session = Session("server", raw())
    answers: list[object] = []

    def in_a_thread(work):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(LIMIT)
        assert not thread.is_alive()

    in_a_thread(lambda: session.open().result(LIMIT))
    in_a_thread(lambda: answers.append(session.call("echo", {"x": 1}).result(LIMIT).text))
    in_a_thread(lambda: session.close().result(LIMIT))
    assert answers == ['{"x": 1}']
    assert not is_alive(session.pid)


def test_sessions_close_in_the_order_in_which_they_were_opened(raw, connected, is_alive, recwarn):
    first, second = connected(raw(), "first"), connected(raw(), "second")
    for session in (first, second):
        session.close().result(LIMIT)
        session.close().result(LIMIT)
    assert not is_alive(first.pid)
    assert not is_alive(second.pid)
    assert not recwarn.list


def test_a_server_that_fails_to_connect_leaves_another_session_alone(raw, connected):
    good = connected(raw())
    with pytest.raises(McpError):
        connected(raw("--exit", "3"), "bad")
    assert good.call("echo").result(LIMIT).text == "{}"


def test_a_call_of_a_session_that_was_closed_says_so(raw, connected):
    session = connected(raw())
    session.close().result(LIMIT)
    with pytest.raises(McpClosed, match="'server' is over: it was closed"):
        session.call("echo").result(LIMIT)


def test_calls_run_side_by_side(raw, connected):
    session = connected(raw())
    jobs = [session.call("meet", {"people": 8}) for _ in range(8)]
    assert [job.result(LIMIT).text for job in jobs] == ["met"] * 8


def test_waiting_for_a_call_on_the_background_thread_is_refused(raw, connected):
    session = connected(raw())

    async def wrong():
        return session.call("echo").result(LIMIT)

    with pytest.raises(TooldeckError, match="would wait for itself"):
        background().submit(wrong).result(LIMIT)


async def test_a_call_may_be_awaited_on_any_loop(raw, connected):
    session = await asyncio.to_thread(connected, raw())
    value = await asyncio.wrap_future(session.call("echo", {"x": 1}))
    assert value.text == '{"x": 1}'


def stopped(session):
    return session.call("how_many_stopped").result(LIMIT).data["result"]


def test_a_call_past_its_limit_ends_with_tool_server_and_limit_named(in_either_era, eventually):
    before = stopped(in_either_era)
    start = time.monotonic()
    with pytest.raises(McpTimeout, match=r"wait_long of the MCP server 'library' .* limit of 0\.3 s"):
        in_either_era.call("wait_long", timeout=0.3).result(LIMIT)
    assert time.monotonic() - start < 3
    # The server was told: its tool was cancelled, and the session goes on.
    assert eventually(lambda: stopped(in_either_era) == before + 1, 10)


def test_the_time_limit_of_the_session_is_the_one_that_counts(raw, connected):
    impatient, patient = connected(raw(), "a", timeout=0.3), connected(raw(), "b", timeout=30)
    with pytest.raises(McpTimeout, match=r"0\.3 s"):
        impatient.call("sleep", {"seconds": 1}).result(LIMIT)
    assert patient.call("sleep", {"seconds": 1}).result(LIMIT).text == "slept"


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
@pytest.mark.parametrize("option", ["timeout", "connect_timeout"])
def test_a_limit_that_is_not_above_zero_is_refused(option, seconds):
    with pytest.raises(DefinitionError, match=f"{option} must be more than 0 seconds"):
        Session("server", "demo", **{option: seconds})


def test_cancelling_a_call_cancels_it_at_the_server_and_keeps_the_session(in_either_era, eventually):
    before = stopped(in_either_era)
    job = in_either_era.call("wait_long")
    assert in_either_era.call("add", {"a": 1, "b": 1}).result(LIMIT).data == {"result": 2}
    assert job.cancel()
    assert job.finished.wait(LIMIT)
    assert eventually(lambda: stopped(in_either_era) == before + 1, 10)


def test_a_result_of_five_megabytes_arrives_whole(raw, connected):
    assert len(connected(raw()).call("big").result(LIMIT).text) == 5_000_000


def test_a_failure_reported_by_the_tool_is_an_error_with_its_text(raw, connected):
    session = connected(raw())
    with pytest.raises(McpToolError, match=r"^quota exceeded$") as caught:
        session.call("bad").result(LIMIT)
    assert caught.value.value.is_error
    assert session.call("odd").result(LIMIT).text == "Error: none found"


def test_arguments_refused_by_the_protocol_do_not_count_against_the_tool(connected):
    from mcp.server import MCPServer
    from mcp.shared.exceptions import MCPError

    server = MCPServer("strict")

    @server.tool()
    def picky() -> str:
        raise MCPError(-32602, "no such page")

    session = connected(server, mode="legacy")
    with pytest.raises(
        McpRefused, match="picky of the MCP server 'server' refused the arguments: no such page"
    ):
        session.call("picky").result(LIMIT)


def test_a_server_object_of_this_process_can_be_used(connected):
    from mcp.server import MCPServer

    server = MCPServer("inside")

    @server.tool()
    def double(x: int) -> int:
        return 2 * x

    session = connected(server)
    assert [tool.name for tool in session.tools] == ["double"]
    assert session.call("double", {"x": 4}).result(LIMIT).data == {"result": 8}


def test_a_session_is_opened_once(raw, connected):
    session = connected(raw())
    with pytest.raises(McpError, match="opened before"):
        session.open()


def test_the_environment_has_what_is_given_and_what_is_safe_and_no_secret(raw, connected, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "abc")
    monkeypatch.setenv("LANG", "C.UTF-8")
    session = connected(raw(), env={"MODE": "test", "LANG": "de_DE.UTF-8"})
    found = session.call("env").result(LIMIT).structured
    assert found["MODE"] == "test"
    assert found["LANG"] == "de_DE.UTF-8"
    assert {"PATH", "HOME"} <= set(found)
    assert "SECRET_TOKEN" not in found
    assert "abc" not in found.values()


def test_a_secret_passed_on_by_name_arrives(raw, connected):
    session = connected(raw(), env={"SECRET_TOKEN": "abc"})
    assert session.call("env").result(LIMIT).structured["SECRET_TOKEN"] == "abc"


def test_a_kernel_whose_stderr_has_no_file_descriptor_can_start_servers(raw, connected, monkeypatch):
    class NoDescriptor:
        def fileno(self):
            import io

            raise io.UnsupportedOperation("fileno")

        def write(self, text):
            return len(text)

        def flush(self):
            pass

    monkeypatch.setattr(sys, "stderr", NoDescriptor())
    assert connected(raw("--stderr", "3")).call("echo").result(LIMIT).text == "{}"


def test_a_keyboard_interrupt_of_the_waiting_thread_ends_the_call_and_not_the_session(raw, connected):
    from tooldeck.mcp.waiting import wait_for

    session = connected(raw())
    job = session.call("sleep")
    session.call("echo").result(LIMIT)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        wait_for(job)
    assert job.finished.is_set()
    assert len(session.call("seen").result(LIMIT).structured["cancelled"]) == 1


def test_every_call_sees_the_context_of_whoever_made_it(raw, connected):
    who = contextvars.ContextVar("who", default="nobody")
    heard: list[str] = []
    session = connected(raw())
    session.handlers.on_progress = lambda progress: heard.append(who.get())
    for name in ("ann", "bob"):
        contextvars.copy_context().run(lambda name=name: (who.set(name), session.call("talk").result(LIMIT)))
    assert set(heard) == {"ann", "bob"}
    assert who.get() == "nobody"


async def test_a_server_can_be_started_from_blocking_code_inside_a_running_loop(raw, connected):
    # The loop that runs here is not the one that starts the process, so it may be of any kind.
    assert connected(raw()).call("echo").result(LIMIT).text == "{}"


def test_a_patch_of_asyncio_for_the_whole_process_leaves_sessions_alone(raw):
    code = """
import asyncio, sys, nest_asyncio2
from tooldeck.mcp.errors import McpTimeout
from tooldeck.mcp.session import Session
async def main():
    nest_asyncio2.apply()
    session = Session('server', sys.argv[1:])
    session.open().result(50)
    try:
        session.call('sleep', timeout=0.2).result(20)
    except McpTimeout:
        print(session.call('echo').result(20).text)
    session.close().result(20)
asyncio.run(main())
"""
    pytest.importorskip("nest_asyncio2")
    done = subprocess.run(
        [sys.executable, "-c", code, *raw()], capture_output=True, text=True, timeout=55, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("{}\n", "", 0)


def test_a_session_may_live_on_a_loop_of_the_user_s_own(raw):
    from mcp.server import MCPServer

    class OwnLoop:
        """An executor for one particular loop."""

        def __init__(self):
            self.loop = asyncio.new_event_loop()
            self.thread = threading.Thread(target=self.loop.run_forever)
            self.thread.start()

        def submit(self, function, /, *args, **kwargs):
            async def run():
                value = function(*args, **kwargs)
                return await value if hasattr(value, "__await__") else value

            return asyncio.run_coroutine_threadsafe(run(), self.loop)

    server = MCPServer("inside")
    loops = []

    @server.tool()
    async def here() -> str:
        loops.append(asyncio.get_running_loop())
        return "here"

    own = OwnLoop()
    session = Session("inside", server, executor=own)
    try:
        session.open().result(LIMIT)
        assert session.call("here").result(LIMIT).text == "here"
        session.close().result(LIMIT)
    finally:
        own.loop.call_soon_threadsafe(own.loop.stop)
        own.thread.join(LIMIT)
        own.loop.close()
    assert loops == [own.loop]


def test_a_tool_that_talks_without_end_does_not_stop_other_work(raw, connected):
    session = connected(raw())
    flood = session.call("flood", {"seconds": 1.0})
    assert session.call("echo").result(LIMIT).text == "{}"
    assert background().submit(lambda: 1).result(LIMIT) == 1
    assert flood.result(LIMIT).text == "flooded"

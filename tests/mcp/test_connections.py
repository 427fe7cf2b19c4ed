from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from tooldeck.core.errors import DefinitionError
from tooldeck.core.parameters import NoParameters
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Effect, Risk, Trust
from tooldeck.mcp.connections import Connections
from tooldeck.mcp.errors import McpClosed, McpConnectError
from tooldeck.mcp.session import State

LIMIT = 40.0


@pytest.fixture
def servers(shelf):
    made = Connections(shelf)
    yield made
    made.close_all()


def own_tool(name):
    return Tool(name, "", NoParameters(), lambda values: "mine", origin=Origin("notebook"))


def called(tool, **arguments):
    return tool.executor.submit(tool.invoke, arguments).result(LIMIT)


@pytest.mark.parametrize(
    ("option", "said"),
    [("name", "'name'; did you mean 'label'"), ("tmeout", "did you mean 'timeout'"), ("qqqq", "there are: ")],
)
def test_an_option_of_connect_that_does_not_exist_is_named(servers, option, said):
    with pytest.raises(TypeError, match=said):
        servers.connect("demo", **{option: "x"})


def test_a_server_s_tools_come_to_the_deck_with_its_schema_and_our_rules(shelf, servers):
    connection = servers.connect("demo")
    add = shelf.tools["add"]
    remote = next(tool for tool in connection.session.tools if tool.name == "add")
    assert add.parameters == remote.input_schema
    assert str(add.signature) == "(*, a: float, b: float)"
    assert (add.origin, add.trust) == (Origin("mcp", "demo"), Trust.UNTRUSTED)
    # The server says that it only reads. Nobody here has said so.
    assert remote.annotations == {"readOnlyHint": True}
    assert (add.effects, add.risk, add.read_only) == (None, Risk.HIGH, False)
    assert called(add, a=1, b=2).data == {"result": 3.0}


def test_the_user_s_declarations_count_and_nothing_else(raw, shelf, servers):
    connection = servers.connect(
        raw(), reads=["echo", "se*", "ecco"], effects={"grow": "write", "seen": "none"}
    )
    assert shelf.tools["echo"].read_only
    assert shelf.tools["echo"].risk is Risk.LOW
    assert shelf.tools["grow"].effects == {Effect.WRITE}
    assert shelf.tools["seen"].effects == frozenset()
    assert shelf.tools["die"].effects is None
    assert connection.notes == ["The server has no tool 'ecco' to declare effects of; did you mean 'echo'?"]


def test_clashing_names_stay_callable_under_distinct_names_and_the_user_is_told(raw, shelf, servers):
    shelf.add(own_tool("echo"))
    a = servers.connect(raw(), label="a")
    b = servers.connect(raw(), label="b")
    assert shelf.tools["echo"].origin == Origin("notebook")
    assert (a.names["echo"], a.names["die"]) == ("a__echo", "die")
    assert (b.names["echo"], b.names["die"]) == ("b__echo", "b__die")
    assert a.notes == ["'echo' is called 'a__echo' here, because 'echo' is a tool of notebook."]
    assert "'die' is called 'b__die' here, because 'die' is a tool of mcp a." in b.notes
    assert called(a["echo"], x=1).text == '{"x": 1}'
    assert a["echo"] is shelf.tools["a__echo"]
    assert a.echo is a["echo"]

    servers.close("a")
    assert "die" not in shelf.tools
    assert shelf.tools["echo"].origin == Origin("notebook")
    assert shelf.tools["b__echo"].origin == shelf.tools["b__die"].origin == Origin("mcp", "b")
    # A name once given is kept, although the shorter one has become free.
    assert servers.reconnect("b").names["die"] == "b__die"


def test_malformed_tools_are_told_with_their_reason_and_hide_no_other(raw, shelf, servers):
    connection = servers.connect(raw("--list", "malformed"))
    assert list(shelf.tools) == ["echo", "last"]
    reasons = {one.name: one.reason for one in connection.malformed}
    assert list(reasons) == [
        "no_schema",
        "hints",
        "tool 5 of the list",
        "tool 6 of the list",
        "echo",
        "words",
    ]
    assert "inputSchema" in reasons["no_schema"]
    assert "annotations" in reasons["hints"]
    assert "properties/a/type" in reasons["words"]
    assert "another tool of this name" in reasons["echo"]
    assert all(any(name in note for note in connection.notes) for name in reasons)
    assert called(shelf.tools["last"], x=1).text == '{"x": 1}'


def test_all_pages_of_the_list_are_read(raw, shelf, servers):
    servers.connect(raw("--list", "pages"))
    assert list(shelf.tools) == [f"tool{number}" for number in range(1, 7)]
    assert called(shelf.tools["tool6"], x=6).text == '{"x": 6}'


def test_an_empty_cursor_ends_the_list(raw, shelf, servers):
    servers.connect(raw("--list", "empty-cursor"))
    assert list(shelf.tools) == ["echo"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_tool_that_a_server_adds_later_comes_to_the_deck(mode, library, shelf, servers, eventually):
    told: list[str] = []
    servers.handlers.on_tools_changed = lambda session: told.append(session.label)
    connection = servers.connect(library, label="library", mode=mode)
    called(connection["grow"])
    assert eventually(lambda: "grown" in shelf.tools and told, 20)
    assert called(shelf.tools["grown"]).text == "new"


def test_connecting_the_same_server_again_takes_the_place_of_the_first(raw, shelf, servers, is_alive):
    first = servers.connect(raw(), label="one").session
    second = servers.connect(raw(), label="one").session
    assert (first.state, second.state) == (State.CLOSED, State.READY)
    assert not is_alive(first.pid)
    assert called(shelf.tools["echo"]).text == "{}"


def test_another_server_under_a_label_in_use_is_refused(raw, servers):
    servers.connect(raw(), label="one")
    with pytest.raises(DefinitionError, match=r"'one' belongs to .*raw\.py'; .*deck\.mcp\.close\('one'\)"):
        servers.connect(raw("--noise"), label="one")
    assert servers["one"].state is State.READY


def test_a_server_that_crashed_can_be_connected_again(raw, shelf, servers):
    connection = servers.connect(raw(), label="one", reads="echo")
    with pytest.raises(Exception, match="exited with code 1"):
        called(connection["die"])
    assert servers["one"].state is State.DEAD
    again = servers.reconnect("one")
    assert called(shelf.tools["echo"]).text == "{}"
    assert again["echo"].read_only
    assert again.state is State.READY


def test_a_server_that_fails_to_connect_leaves_no_trace(raw, shelf, servers):
    servers.connect(raw(), label="good")
    before = dict(shelf.tools)
    with pytest.raises(McpConnectError):
        servers.connect(raw("--exit", "2"), label="bad")
    assert list(servers) == ["good"]
    assert shelf.tools == before


def test_closing_takes_the_tools_away_and_ends_the_process(raw, shelf, servers, is_alive):
    pid = servers.connect(raw(), label="one").session.pid
    servers.close("one")
    assert not shelf.tools
    assert not is_alive(pid)
    with pytest.raises(KeyError, match="no MCP server 'one'"):
        servers.close("one")


def test_all_servers_close_at_the_same_time(raw, servers):
    for label in ("a", "b", "c"):
        servers.connect(raw("--stubborn"), label=label)
    start = time.monotonic()
    servers.close_all()
    assert time.monotonic() - start < 8  # each alone takes three seconds
    assert not servers


async def test_connecting_and_closing_may_be_awaited(raw, shelf, servers):
    connection = await servers.aconnect(raw(), label="one", timeout=5)
    assert connection.session.timeout == 5
    assert "echo" in shelf.tools
    await servers.aclose("one")
    assert not shelf.tools


def test_a_wrong_option_or_label_is_refused_before_anything_starts(servers):
    with pytest.raises(TypeError, match="tiemout"):
        servers.connect("demo", tiemout=3)
    with pytest.raises(DefinitionError, match="1 to 32 letters"):
        servers.connect("demo", label="no spaces please")
    assert not servers


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("breaker", "3", "number of failures"),
        ("breaker", -1, "breaker threshold"),
        ("trust", "yes", "True or False"),
        ("reads", 5, "names or patterns"),
        ("reads", [5], "names or patterns"),
        ("only", 7, "names or patterns"),
        ("without", [3], "names or patterns"),
        ("effects", "read", "effects by name"),
        ("effects", {"echo": "nonsense"}, "nonsense"),
        ("rates", "1/s", "rates by name"),
        ("env", ["A=hunter2"], "texts by name, got list"),
        ("env", {"A": 5}, "texts by name, got dict"),
        ("headers", "A: hunter2", "texts by name, got str"),
        ("handlers", 5, "Handlers"),
        ("sign_in", 5, "SignIn, got int"),
        ("executor", 5, "Executor"),
        ("cwd", 5, "a folder"),
        ("roots", 5, "roots must be folders"),
        ("mode", None, "auto, legacy"),
        ("timeout", "1", "more than 0 seconds"),
        ("timeout", float("nan"), "more than 0 seconds"),
        ("connect_timeout", None, "more than 0 seconds"),
        ("label", 5, "a name"),
        ("unseen", "no", "True or False"),
    ],
)
def test_a_value_that_cannot_be_meant_names_its_option(servers, option, value, says):
    with pytest.raises(DefinitionError, match=says) as caught:
        servers.connect("demo", **{option: value})
    assert "hunter2" not in str(caught.value)
    assert not servers


def test_a_number_of_failures_is_a_breaker_and_one_name_is_a_choice(raw, servers, shelf):
    servers.connect(raw(), label="one", breaker=7, only="ech?")
    assert list(servers["one"]) == ["echo"]
    assert shelf.tools["echo"].breaker.threshold == 7
    servers.close("one")


def test_an_interrupt_while_connecting_ends_the_server(raw, servers, eventually, is_alive):
    import os
    import signal
    import threading

    import psutil

    me = psutil.Process()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        servers.connect(raw("--silent"), label="mute")
    assert not servers
    left = [child for child in me.children(recursive=True) if "--silent" in child.cmdline()]
    assert not left


def test_a_reconnection_that_fails_can_be_tried_again(raw, shelf, servers, tmp_path):
    import sys

    program = tmp_path / "server.py"
    program.symlink_to(raw()[-1])
    servers.connect([sys.executable, "-S", str(program)], label="one")
    program.unlink()
    with pytest.raises(McpConnectError, match="exited with code 2"):
        servers.reconnect("one")
    assert servers["one"].state is State.DEAD
    assert "exited with code 2" in servers["one"].reason
    with pytest.raises(McpClosed, match="exited with code 2"):
        called(shelf.tools["echo"])  # it is listed still, and says why it cannot be called
    program.symlink_to(raw()[-1])
    servers.reconnect("one")
    assert called(shelf.tools["echo"]).text == "{}"


async def test_connecting_closing_and_reconnecting_may_be_awaited(raw, shelf, servers):
    first = await servers.aconnect(raw(), label="server")
    again = await servers.areconnect("server")
    assert (first.state, again.state) == (State.CLOSED, State.READY)
    assert called(again["echo"], x=1).text == '{"x": 1}'
    await servers.aclose("server")
    assert (again.state, shelf.tools) == (State.CLOSED, {})


async def test_a_failed_awaited_reconnection_can_be_tried_again(raw, shelf, servers, tmp_path):
    link = tmp_path / "server.py"
    command = raw()
    link.symlink_to(command[2])
    await servers.aconnect([*command[:2], str(link)], label="server")
    link.unlink()
    with pytest.raises(McpConnectError):
        await servers.areconnect("server")
    link.symlink_to(command[2])
    assert (await servers.areconnect("server")).state is State.READY


def test_a_server_object_runs_where_the_connections_say(shelf, servers):
    from mcp.server.mcpserver import MCPServer

    from tooldeck.hosts.background import BackgroundLoop

    class Counting(BackgroundLoop):
        jobs = 0

        def submit(self, function, /, *args, **kwargs):
            Counting.jobs += 1
            return super().submit(function, *args, **kwargs)

    servers.in_process = Counting("mine")
    made = servers.connect(MCPServer("own"), label="own")
    assert made.session.executor is servers.in_process
    assert Counting.jobs == 1
    servers.close("own")
    assert servers.in_process.stop()


def test_a_connection_that_ends_by_itself_is_told_to_whoever_watches(raw, servers):
    ended: list[str] = []
    told = threading.Event()

    def on_end(connection):
        ended.append(f"{connection.label} {connection.state}")
        told.set()

    servers.on_end = on_end
    made = servers.connect(raw(), label="server")
    os.kill(made.session.pid, signal.SIGKILL)
    assert told.wait(10)
    assert ended == ["server dead"]

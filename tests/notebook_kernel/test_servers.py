"""MCP servers in a notebook: from cell to cell, interrupted, crashed, refused, killed; nothing is left."""

from __future__ import annotations

import shlex
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from kernel_cells import ALL
from live_kernel import Cell
from notebook_kernel import NotebookKernel

SERVERS = Path(__file__).resolve().parents[1] / "mcp" / "servers"
RAW = shlex.join([sys.executable, "-S", str(SERVERS / "raw.py")])
CALL = {"blocking": "deck.call({!r}, {!r})", "awaited": "await deck.acall({!r}, {!r})"}
form = pytest.mark.parametrize("form", CALL)
NPM = Path(__file__).resolve().parents[2] / ".cache/servers/npm"
NPX = f"deck.mcp.connect('npx --offline mcp-server-everything', label='every', cwd={str(NPM)!r}, reads='*')"


def call(form: str, tool: str, **arguments: object) -> str:
    return CALL[form].format(tool, arguments)


def connect(notebook: NotebookKernel, options: str = "", ours: str = "--label raw --reads *") -> str:
    """Connect the hand-written server; gives the model of its card."""
    cell = notebook.run(f"%mcp connect {ours} {RAW} {options}", timeout=40)
    return cell.widgets[0]


def servers_of(notebook: NotebookKernel) -> list[psutil.Process]:
    """The processes that the kernel has started."""
    return psutil.Process(notebook.manager.provisioner.pid).children(recursive=True)


def all_gone(processes: list[psutil.Process], within: float) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=within)
    return not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.pythons
def test_connect_call_and_close_in_three_cells_leave_nothing_behind(notebook: NotebookKernel) -> None:
    # The loop's own thread stays, and so do the idle ones of its pool: no more of them with every session.
    threads = (
        "print(sorted(t.name for t in threading.enumerate()"
        " if not t.name.startswith(('asyncio_', 'tooldeck-background'))))"
    )
    before = notebook.run(threads).text
    connect(notebook)
    started = servers_of(notebook)
    assert started
    assert notebook.run("print(deck.call('echo', {'x': 1}).value.text)").text == '{"x": 1}\n'
    assert notebook.run("print((await deck.acall('echo', {'x': 2})).value.text)").text == '{"x": 2}\n'
    closed = notebook.run("%mcp close raw", timeout=20)
    assert closed.text == "Closed raw.\n"
    assert all_gone(started, 5)
    assert notebook.run("print(sorted(deck.tools))").text == "['note']\n"
    assert notebook.run(threads).text == before


@form
def test_an_interrupt_in_a_call_reaches_the_server_and_the_session_goes_on(
    notebook: NotebookKernel, form: str
) -> None:
    connect(notebook)
    cell = notebook.blocked(call(form, "sleep", say="waiting"), widgets=0)
    start = time.monotonic()
    notebook.interrupt()
    assert notebook.finish(cell).error == "KeyboardInterrupt"
    assert cell.replied_at - start < 15
    seen = "deck.call('seen').value.structured['cancelled']"
    notebook.until(lambda: len(notebook.run(f"print({seen})").text) > 3, 5, lambda: "no cancellation came")
    assert notebook.run("print(deck.mcp['raw'].state, deck.call('echo').status)").text == "ready ok\n"


CONNECT_SILENT = {
    "magic": f"%mcp connect --label mute {RAW} --silent",
    "blocking": f"deck.mcp.connect({RAW + ' --silent'!r}, label='mute')",
    "awaited": f"await deck.mcp.aconnect({RAW + ' --silent'!r}, label='mute')",
}


@pytest.mark.parametrize("way", CONNECT_SILENT)
def test_an_interrupt_while_connecting_ends_the_server(notebook: NotebookKernel, way: str) -> None:
    cell = notebook.send(CONNECT_SILENT[way])
    notebook.until(
        lambda: any("--silent" in one.cmdline() for one in _alive(notebook)), 30, lambda: "no server started"
    )
    started = servers_of(notebook)

    def says(words: list[str]) -> None:
        lines = lambda: ["".join(text for text, _ in bar["line"]) for bar in progress(notebook, cell)]  # noqa: E731
        notebook.until(lambda: lines() == words, 30, lambda: f"{lines()} {cell}")

    waits = "it has not answered yet; interrupt the cell to give up"
    if way == "magic":
        says([waits])
    notebook.interrupt()
    assert notebook.finish(cell, 15).error == "KeyboardInterrupt"
    says([f"{waits} · not done"] if way == "magic" else [])
    assert all_gone(started, 5)
    assert notebook.run("print(deck.mcp)").text == "<MCP servers: none>\n"


def progress(notebook: NotebookKernel, cell: Cell) -> list[dict[str, Any]]:
    """What the bars of a cell show."""
    models = [notebook.models[one] for one in cell.widgets]
    return [model["progress"] for model in models if "progress" in model]


def test_a_connection_that_takes_too_long_is_given_up_in_one_sentence(notebook: NotebookKernel) -> None:
    said = sentence(notebook, f"%mcp connect --connect-timeout 0.5 --label mute {RAW} --silent")
    assert "did not answer within 0.5 s" in said


@form
def test_a_crash_in_a_call_gives_exit_code_and_stderr_and_the_card_offers_the_way_back(
    notebook: NotebookKernel, form: str
) -> None:
    card = connect(notebook)
    text = notebook.run(f"r = {call(form, 'die')}; print(r.status, r.error)").text
    assert text.startswith("failed"), text
    assert "exited with code 1" in text
    assert "dying now" in text
    notebook.until(
        lambda: session(notebook, card)["state"] == "dead", 5, lambda: str(session(notebook, card))
    )
    notebook.draw(card)
    notebook.heard(notebook.say(card, type="reconnect"))
    notebook.until(
        lambda: session(notebook, card)["state"] == "ready", 20, lambda: str(session(notebook, card))
    )
    assert notebook.run("print(deck.call('echo').status)").text == "ok\n"


def test_a_server_that_is_killed_while_nobody_calls_shows_on_its_card_at_once(
    notebook: NotebookKernel,
) -> None:
    card = connect(notebook, "--stderr 2")
    assert session(notebook, card)["state"] == "ready"
    pid = int(notebook.run("print(deck.mcp['raw'].session.pid)").text)
    psutil.Process(pid).kill()
    notebook.until(
        lambda: session(notebook, card)["state"] == "dead", 10, lambda: str(session(notebook, card))
    )
    facts = session(notebook, card)
    assert _plain(facts["reason"]).startswith("was killed by SIGKILL")
    assert "line 1 of a long story" in _plain(facts["log"])


def test_output_that_is_no_message_is_not_printed_into_the_cell(notebook: NotebookKernel) -> None:
    cell = notebook.run(f"%mcp connect --label raw --reads * {RAW} --noise", timeout=40)
    assert cell.text == ""
    assert notebook.run("print(deck.call('echo').status)").text == "ok\n"


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


WRONG: dict[str, Callable[[], tuple[str, list[str]]]] = {
    "a missing program": lambda: ("no-such-server --x", ["there is no program 'no-such-server' on the PATH"]),
    "a server that leaves at once": lambda: (f"{RAW} --exit 3", ["exited with code 3", "boot: missing KEY"]),
    "a program that only prints": lambda: ("echo hello", ["hello", "reserved for the protocol"]),
    "a URL that refuses": lambda: (f"http://127.0.0.1:{unused_port()}/mcp", ["refuses connections"]),
    "a file that does not exist": lambda: ("./no/such/file", ["does not exist"]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_connected_is_told_in_one_sentence_within_seconds(
    installed: NotebookKernel, wrong: str
) -> None:
    target, words = WRONG[wrong]()
    said = sentence(installed, f"%mcp connect {target}")
    for word in words:
        assert word in said
    assert not servers_of(installed)


ENDINGS = [("shutdown", "stubborn"), ("restart", "npx"), ("terminate", "npx"), ("kill", "stubborn")]
if ALL:
    ENDINGS += [("shutdown", "npx"), ("restart", "stubborn"), ("kill", "npx"), ("kill", "polite")]


@pytest.mark.parametrize(("ending", "server"), ENDINGS)
def test_the_end_of_a_kernel_whose_cell_waits_ends_its_server(ending: str, server: str) -> None:
    if server == "npx" and not (NPM / "node_modules/.bin/mcp-server-everything").exists():
        pytest.skip("make test installs the servers from npm")
    notebook = NotebookKernel(None)
    try:
        notebook.fresh()
        waits = call("blocking", "sleep", say="waiting")
        if server == "npx":  # starts a shell, which starts node
            notebook.run(NPX, timeout=60)
            waits = f"print('waiting'); {call('blocking', 'trigger-long-running-operation', duration=90)}"
        else:
            connect(notebook, "--stubborn" if server == "stubborn" else "")
        started = servers_of(notebook)
        assert len(started) >= (4 if server == "npx" else 2)
        notebook.blocked(waits, widgets=0)
        if ending == "kill":
            psutil.Process(notebook.manager.provisioner.pid).kill()
        elif ending == "terminate":
            psutil.Process(notebook.manager.provisioner.pid).terminate()
        elif ending == "restart":
            notebook.manager.restart_kernel(now=False)
        else:
            notebook.control("shutdown_request", {"restart": False})
        assert all_gone(started, 12)
    finally:
        notebook.close()


def sentence(notebook: NotebookKernel, line: str) -> str:
    """What a magic says that must fail without a traceback."""
    start = time.monotonic()
    cell = notebook.finish(notebook.send(line), 30)
    assert cell.status == "error"
    assert cell.error in {"", "UsageError"}
    assert cell.replied_at - start < 15
    said = cell.text
    assert said.startswith("UsageError: "), said
    assert "Traceback" not in said
    return said


def session(notebook: NotebookKernel, card: str) -> dict[str, object]:
    notebook.listen(0.05)
    return notebook.models[card]["session"]


def _alive(notebook: NotebookKernel) -> list[psutil.Process]:
    return [one for one in servers_of(notebook) if one.status() != psutil.STATUS_ZOMBIE]


def _plain(pieces: object) -> str:
    assert isinstance(pieces, list)
    return "".join(text for text, _ in pieces)

"""``tooldeck serve`` as another program starts it: files and notebooks over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from serve_clients import connect

from tooldeck import SetupError
from tooldeck.serve.command import main
from tooldeck.serve.loading import load_deck

LOUD = """
import os, sys
from tooldeck import Deck, tool
print("hello from the module")
os.system("echo hello from a child")
deck = Deck()

@deck.tool(effects="read")
def add(a: int, b: int) -> int:
    "Add."
    print("adding")
    return a + b

@deck.tool(effects="write")
def wipe() -> str:
    return "wiped"

@tool(effects="none")
def loose() -> str:
    return sys.stdin.read() or "nothing to read"
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": "# A notebook"},
        {"cell_type": "code", "source": ["%load_ext tooldeck\n", "print('hello from a cell')"]},
        {"cell_type": "code", "source": "%%tool --effects read\ndef twice(x: int) -> int:\n    return 2 * x"},
        {"cell_type": "code", "source": '%%tool --effects write\ndef wipe() -> str:\n    return "wiped"'},
    ]
}


def command(*words):
    return [sys.executable, "-m", "tooldeck", "serve", *map(str, words)]


def client(*words):
    first, *rest = command("--stdio", *words)
    parameters = StdioServerParameters(command=first, args=rest, env={**os.environ, "TOOLDECK_STORE": "off"})
    return Client(stdio_client(parameters))


async def test_a_file_that_prints_speaks_clean_protocol(tmp_path):
    file = tmp_path / "loud.py"
    file.write_text(LOUD)
    async with client(file, "--allow", "wipe") as one:
        names = [tool.name for tool in (await one.list_tools()).tools]
        assert names == ["add", "wipe", "loose"]
        assert (await one.call_tool("add", {"a": 1, "b": 2})).structured_content == {"result": 3}
        assert (await one.call_tool("loose", {})).content[0].text == "nothing to read"
        refused = await one.call_tool("wipe", {})
        assert refused.is_error
        assert "no terminal to ask on" in refused.content[0].text


async def test_a_notebook_is_run_and_its_tools_are_served(tmp_path):
    file = tmp_path / "tools.ipynb"
    file.write_text(json.dumps(NOTEBOOK))
    async with client(file) as one:
        assert [tool.name for tool in (await one.list_tools()).tools] == ["twice"]
        assert (await one.call_tool("twice", {"x": 4})).structured_content == {"result": 8}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (None, "There is no file"),
        ("x = 1", "There is no tool"),
        ("1 / 0", "ZeroDivisionError"),
        ("from tooldeck import Deck\na, b = Deck(), Deck()", "2 decks"),
    ],
)
def test_what_cannot_be_served_is_named(tmp_path, source, words):
    file = tmp_path / "target.py"
    if source is not None:
        file.write_text(source)
    with pytest.raises(SetupError, match=words):
        load_deck([str(file)])


def test_a_fault_is_one_line_on_standard_error(tmp_path):
    words = command("--stdio", tmp_path / "none.py")
    done = subprocess.run(words, input="", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("tooldeck: There is no file")
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("value", [None, ""])
def test_a_token_that_was_never_set_opens_nothing_and_is_told_what_to_do(
    tmp_path, monkeypatch, capsys, value
):
    file = tmp_path / "loud.py"
    file.write_text(LOUD)
    monkeypatch.delenv("MY_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_TOKEN", value)
    assert main(["serve", str(file), "--token-env", "MY_TOKEN"]) == 1
    said = capsys.readouterr()
    assert "The environment variable 'MY_TOKEN', which --token-env names, is not set" in said.err
    assert "export MY_TOKEN=$(openssl rand -hex 32)" in said.err
    assert len(said.err.strip().splitlines()) == 1


def test_a_tool_that_is_not_there_is_named_with_the_nearest(tmp_path, capsys):
    file = tmp_path / "quiet.py"
    file.write_text(
        "from tooldeck import Deck\ndeck = Deck()\ndeck.add(len, name='length', effects='none')\n"
    )
    assert main(["serve", str(file), "--tools", "lenght"]) == 1
    assert (
        "tools= names 'lenght', and this deck has no such tool; did you mean 'length'?"
        in capsys.readouterr().err
    )


def test_over_http_it_prints_how_to_connect_and_ends_when_told(tmp_path):
    file = tmp_path / "loud.py"
    file.write_text(LOUD)
    process = subprocess.Popen(command(file, "--name", "loud"), stdout=subprocess.PIPE, text=True)
    try:
        printed = ""
        while "claude mcp add" not in printed:
            line = process.stdout.readline()
            assert line, printed
            printed += line
        url = re.search(r"http://127\.0\.0\.1:\d+/mcp", printed)[0]
        token = re.search(r"Bearer ([\w-]{30,})", printed)[1]
        assert asyncio.run(added(SimpleNamespace(url=url, token=token))) == {"result": 3}
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()


async def added(serving):
    async with connect(serving) as one:
        return (await one.call_tool("add", {"a": 1, "b": 2})).structured_content

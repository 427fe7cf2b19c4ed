"""The corpus of odd signatures and the facts that their schemas must show, through every way in and out.

It lies beside the repository, not in it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Callable
from inspect import isfunction
from pathlib import Path
from typing import Any

import pytest
from ipython_shell import open_shell
from mcp.client.client import Client

from tooldeck import BaseTool, Deck, Tool, tool
from tooldeck.core.define import Options, define
from tooldeck.hosts.background import BackgroundLoop
from tooldeck.serve.opening import make_server

CORPUS = Path(__file__).parents[2].parent / "shared" / "data" / "schema_corpus"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the schema corpus is not on this machine")


def options(function):
    return Options(name="x") if getattr(function, "__name__", "") == "<lambda>" else Options()


def described(made):
    return {"name": made.name, "description": made.description, "parameters": made.parameters}


def by_function(function):
    return described(define(function, options(function)))


def by_decorator(function):
    return described(tool(**options(function).changes())(function))


def by_class(function):
    wrapped = BaseTool()
    wrapped.run = function
    return described(define(wrapped, Options(name=define(function, options(function)).name)))


def exporting(dialect):
    def by_export(function):
        deck = Deck()
        deck.add(function, **options(function).changes())
        return deck.export(dialect)[0]

    return by_export


def by_cell(function):
    """The function as its module's source makes it in a cell; what is no plain function comes another way."""
    made = cells.get(function.__module__, {}) if isfunction(function) else {}
    if getattr(function, "__qualname__", "") not in made:
        return by_function(function)
    in_cells.append(function)
    return described(made[function.__qualname__])


cells: dict[str, dict[str, Tool]] = {}
in_cells: list[object] = []


@pytest.fixture
def corpus_cells(capsys):
    """The modules of the corpus, each run as one ``%%tool`` cell."""
    with open_shell(capsys) as shell:
        for file in sorted(CORPUS.glob("c[0-9]*.py")):
            shell.run(f"%%tool --effects none\n{file.read_text()}")
            cells[file.stem] = dict(shell.deck.tools)
            for name in list(shell.deck.tools):
                shell.deck.remove(name)
        yield
    cells.clear()
    in_cells.clear()


def by_client(function):
    """What a client of the served deck is told."""
    deck, listing = served[0]
    made = deck.add(function, **options(function).changes(), effects="none")
    try:
        return next(tool for tool in listing() if tool["name"] == made.name)
    finally:
        deck.remove(made.name)


served: list[tuple[Deck, Callable[[], list[dict[str, Any]]]]] = []


@pytest.fixture
def corpus_client():
    """One session of a client with a served deck, for all functions."""
    deck, loop = Deck(), BackgroundLoop("corpus")
    session: asyncio.Queue[Client] = asyncio.Queue()
    over = asyncio.Event()

    async def serve():
        server = make_server(deck)
        server.start()
        async with Client(server.protocol) as client:
            session.put_nowait(client)
            await over.wait()
        await server.stop()

    async def listing():
        tools = (await client.list_tools(cache_mode="bypass")).tools
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]

    serving = loop.submit(serve)
    client = loop.submit(session.get).result(20)
    served.append((deck, lambda: loop.submit(listing).result(20)))
    yield
    served.clear()
    loop.submit(over.set).result(5)
    serving.result(20)
    loop.stop()


ROUTES = {
    "function": by_function,
    "decorator": by_decorator,
    "class": by_class,
    "cell": by_cell,
    "client": by_client,
    **{dialect: exporting(dialect) for dialect in ("openai", "anthropic", "gemini", "mcp")},
}


@pytest.fixture(scope="module")
def scorer():
    spec = importlib.util.spec_from_file_location("schema_corpus_run", CORPUS / "run.py")
    found = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(found)
    yield found
    sys.path[:] = before


@pytest.mark.parametrize("route", list(ROUTES))
def test_every_fact_of_the_corpus_shows(scorer, route, tmp_path, monkeypatch, request):
    adapter = tmp_path / "adapter.py"
    adapter.write_text("")
    monkeypatch.setattr(
        scorer, "load", lambda path: type("Adapter", (), {"schema": staticmethod(ROUTES[route])})
    )
    if route in {"cell", "client"}:
        request.getfixturevalue({"cell": "corpus_cells", "client": "corpus_client"}[route])
    found = scorer.dump(adapter)
    score = scorer.check(found)
    assert route != "cell" or len(in_cells) > 50
    assert score["failed"] == {}
    assert score["right"] == 69

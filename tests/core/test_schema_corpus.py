"""The corpus of odd signatures and the facts that their schemas must show, through every way in and out.

It lies beside the repository, not in it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tooldeck import BaseTool, Deck, tool
from tooldeck.core.define import Options, define

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


ROUTES = {
    "function": by_function,
    "decorator": by_decorator,
    "class": by_class,
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
def test_every_fact_of_the_corpus_shows(scorer, route, tmp_path, monkeypatch):
    adapter = tmp_path / "adapter.py"
    adapter.write_text("")
    monkeypatch.setattr(
        scorer, "load", lambda path: type("Adapter", (), {"schema": staticmethod(ROUTES[route])})
    )
    found = scorer.dump(adapter)
    score = scorer.check(found)
    assert score["failed"] == {}
    assert score["right"] == 69

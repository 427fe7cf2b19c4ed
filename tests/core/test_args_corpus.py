"""Arguments as models send them, with the outcome that people mean. They lie beside the repository."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tooldeck import Deck

CORPUS = Path(__file__).parents[2].parent / "shared" / "data" / "args"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the argument corpus is not on this machine")

BARE_SCALARS = {"scalar_for_single_param"}
"""Refused on purpose: a bare text or number is no object, also for a tool with one parameter."""


def test_nothing_runs_with_values_that_nobody_meant_and_almost_all_is_understood(monkeypatch):
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    spec = importlib.util.spec_from_file_location("args_run", CORPUS / "args_run.py")
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    deck = Deck(policy="auto")
    adapter = type("Adapter", (), {"call": staticmethod(deck.call)})
    outcomes = {entry["id"]: entry["verdict"] for entry in scorer.run(adapter)}
    assert [name for name, verdict in outcomes.items() if verdict == "harm"] == []
    assert {name for name, verdict in outcomes.items() if verdict == "missed"} <= BARE_SCALARS

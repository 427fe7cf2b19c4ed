"""Tools of steps: every step an ordinary call, and nothing gains power by standing in one."""

from __future__ import annotations

import pytest
from offline_web import offline_web
from sample_workspace import make_sample_workspace

from tooldeck import Deck, DefinitionError
from tooldeck.core.vocabulary import Effect, Risk, Trust
from tooldeck.tools.meta.making import MetaTool, Step
from tooldeck.tools.pages.fetching import Web


@pytest.fixture
def made(tmp_path):
    """A function that makes a deck with the tools of steps."""

    def make(**options):
        deck = Deck(workspace=make_sample_workspace(tmp_path), **options)
        deck.provide(Web, offline_web())
        deck.add_builtins("meta")
        return deck

    return make


def steps_of(deck):
    return [(one.call.name, one.status) for one in deck.history()]


def test_they_are_off_until_they_are_asked_for_and_bring_what_they_call(made):
    deck = Deck()
    deck.add_builtins()
    assert "research_topic" not in deck.tools
    assert list(made().tools) == ["web", "file", "research_topic", "find_and_read", "research_and_save"]


def test_their_effects_and_risk_are_those_of_their_steps(made):
    deck = made()
    topic, saved = deck["research_topic"], deck["research_and_save"]
    assert topic.effects == {Effect.NETWORK}
    assert saved.effects == {Effect.NETWORK, Effect.READ, Effect.WRITE}
    assert topic.risk is saved.risk is Risk.MEDIUM
    assert {one.trust for one in (topic, saved, deck["find_and_read"])} == {Trust.UNTRUSTED}


@pytest.mark.parametrize("name", ["research_topic", "find_and_read", "research_and_save"])
def test_their_examples_work(run, made, name):
    deck = made(policy="auto")
    for example in deck[name].examples:
        result = run(deck, name, example)
        assert result.ok, result.error
        assert result.text.startswith("«outside ")


def test_what_was_saved_from_the_web_stays_marked(run, made):
    deck = made(policy="auto")
    run(deck, "research_and_save", query="tides of the moon", path="tides.md").unwrap()
    read = run(deck, "file", action="read", path="tides.md")
    assert read.decisions["present"].startswith("fenced, since tides.md has text from web ")


def test_every_step_is_a_call_with_this_one_as_its_parent(run, made):
    deck = made(policy="auto")
    result = run(deck, "research_topic", query="tides of the moon")
    assert steps_of(deck) == [("web", "ok"), ("web", "ok"), ("research_topic", "ok")]
    assert {one.call.parent for one in deck.history()[:2]} == {result.call.id}


def test_a_dry_run_tells_the_calls_and_makes_none(run, made):
    deck = made(policy="auto")
    value = run(deck, "research_and_save", query="tides", path="a.md", dry_run=True).value
    assert [one["tool"] for one in value["calls"]] == ["web", "web", "file"]
    assert value["calls"][0]["arguments"] == {"action": "search", "query": "tides", "limit": 3}
    assert value["calls"][1]["arguments"]["url"] == "$found.results[0].url"
    assert steps_of(deck) == [("research_and_save", "ok")]


def test_each_step_asks_for_itself_and_the_first_refusal_ends_it(run, made):
    asked = []

    def approver(request):
        asked.append((request.tool.label, request.call.arguments))
        from tooldeck import Decision

        return Decision(request.tool.name == "web")

    deck = made(approver=approver)
    result = run(deck, "research_and_save", query="tides of the moon", path="notes.md")
    assert [label for label, _ in asked] == ["web search", "web fetch", "file write"]
    assert asked[1][1]["url"].startswith("http")
    assert result.status == "failed"
    assert "ended at step 3 of 3, saved: file is denied" in result.error
    assert not (deck.workspace.root / "notes.md").exists()


def test_a_tool_that_runs_programs_asks_also_as_a_step(run):
    deck = Deck()
    deck.add(lambda command: command, name="shell", effects="execute")
    meta = MetaTool(
        "sly", "Do it.", {"what": {"type": "string"}}, (Step("a", "shell", {"command": "$what"}),)
    )
    deck.add(meta.tool(deck))
    assert deck["sly"].risk is Risk.HIGH
    deck.policy.allow("sly")
    result = run(deck, "sly", what="rm -rf /")
    assert "shell is denied" in result.error


def test_none_stands_in_another_one_by_whichever_way(run):
    deck = Deck(policy="auto")
    inner = MetaTool("inner", "x", {}, (Step("a", "add", {"a": 1}),))
    deck.add(lambda a: a, name="add", effects="none")
    deck.add(inner.tool(deck))
    deck.add(lambda: deck.call("inner").unwrap(), name="between", effects="none")
    for name in ("inner", "between"):
        deck.add(MetaTool(f"by_{name}", "x", {}, (Step("a", name, {}),)).tool(deck))
        assert "neither calls the other" in run(deck, f"by_{name}").error
    assert deck["by_inner"].effects is None


def test_values_flow_with_their_types_and_a_missing_part_is_named(run):
    deck = Deck(policy="auto")
    deck.add(lambda n: {"rows": [{"n": n}] * n}, name="rows", effects="none")
    deck.add(lambda n, text: f"{n + 1} {text}", name="next", effects="none")
    steps = (
        Step("a", "rows", {"n": "$n"}),
        Step("b", "next", {"n": "$a.rows[0].n", "text": "$$5"}),
    )
    deck.add(MetaTool("chain", "x", {"n": {"type": "integer"}}, steps).tool(deck))
    assert run(deck, "chain", n=2).value["b"] == "3 $5"
    assert "before step 2, b: $a.rows is empty" in run(deck, "chain", n=0).error


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "has no steps"),
        ([Step("a", "x", {"v": "$later"}), Step("later", "x", {})], "there is no 'later' before it, only n"),
        ([Step("a", "x", {"v": ["$a b"]})], "is no reference"),
        ([Step("n", "x", {})], "two things are called 'n'"),
    ],
)
def test_steps_that_cannot_be_meant_are_refused(steps, words):
    with pytest.raises(DefinitionError, match=words.replace("$", r"\$")):
        MetaTool("m", "x", {"n": {"type": "string"}}, steps)

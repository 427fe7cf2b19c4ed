"""The tool card: form, run, results, replacement, saved forms."""

from __future__ import annotations

from typing import Any

import pytest
from widget_parts import NASTY, SCHEMA, TRACE, make_call, make_result, make_tool

from tooldeck.core.breaker import BreakerState, Phase
from tooldeck.core.errors import DefinitionError
from tooldeck.core.events import CallEnded
from tooldeck.core.settings import BreakerSettings
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Status, Trust
from tooldeck.deck import Deck
from tooldeck.mcp.lint import Finding, lint
from tooldeck.notebook.live import Live
from tooldeck.notebook.widgets import ToolCard
from tooldeck.notebook.widgets.preview import call_forms, definition
from tooldeck.policy import Policy


def shown(stretches: list[list[Any]]) -> str:
    return "".join(text for text, _ in stretches)


class Runs:
    """Takes what a card wants to run."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []
        self.seen: list[str] = []
        self.card: ToolCard | None = None

    def __call__(self, arguments: dict[str, Any]) -> None:
        self.made.append(arguments)
        if self.card is not None:
            self.seen.append(self.card._head.tool["state"])


def opened(tool: Tool | None = None, policy: Policy | None = None) -> tuple[ToolCard, Runs]:
    runs = Runs()
    runs.card = ToolCard(tool or make_tool(), runs, policy)
    return runs.card, runs


def test_a_form_that_fits_is_run_once_and_the_card_says_that_it_runs() -> None:
    card, runs = opened()
    card.form.set_value({"path": "a", "content": "x"})
    card._go.click()
    assert runs.made == [{"path": "a", "content": "x"}]
    assert runs.seen == ["running"]
    assert card._head.tool["state"] == "idle"
    assert card._go.description == "Run"


def test_a_form_that_does_not_fit_runs_nothing_and_says_why_beside_the_field() -> None:
    card, runs = opened()
    card.form.set_value({"path": "a"})
    assert card.run() is False
    assert runs.made == []
    assert repr(card.form._summary) == "1 problem to mend"
    card.form.set_value({"path": "a", "content": "x"})
    assert card.run() is True
    assert repr(card.form._summary) == ""


def test_an_interrupted_run_leaves_the_card_ready() -> None:
    def interrupted(arguments: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    card = ToolCard(make_tool(), interrupted)
    card.form.set_value({"path": "a", "content": "x"})
    with pytest.raises(KeyboardInterrupt):
        card.run()
    assert not card._go.disabled


def test_the_preview_follows_the_form() -> None:
    card, _ = opened()
    card.form.set_value({"path": "a", "content": "it's"})
    forms = {form["label"]: form["text"] for form in card._preview.block["forms"]}
    assert forms["Python"] == """write_note(path='a', content="it's")"""
    assert forms["magic"] == """%call write_note {"path": "a", "content": "it's"}"""


def test_the_last_result_is_open_and_the_earlier_ones_are_kept() -> None:
    card, _ = opened()
    for place in range(12):
        card.show_result(make_result(f"value {place}"))
    assert [shown(one["text"]) for one in card._result.results] == ["value 11"]
    assert [shown(one["text"]) for one in card._history.results] == [f"value {n}" for n in range(11, 1, -1)]


def test_a_trace_is_offered_when_there_is_one_and_follows_the_last_call() -> None:
    card, _ = opened()
    card.show_result(make_result("quiet"))
    assert card._tracing.layout.display == "none"
    card.show_result(make_result("traced", trace=TRACE))
    assert card._tracing.layout.display is None
    card._tracing.value = True
    (trace,) = card._trace.children
    card.show_result(make_result(None, status=Status.FAILED, trace=TRACE))
    assert card._trace.children == (trace,)
    assert trace.trace["state"] == "failed"


def test_a_tool_that_is_defined_again_keeps_what_was_typed_into_the_same_fields() -> None:
    card, runs = opened()
    card.form.set_value({"path": "a", "content": "x"})
    schema = {
        "type": "object",
        "properties": {"path": SCHEMA["properties"]["path"], "content": {"type": "integer"}},
        "required": ["path"],
    }
    again = make_tool(schema=schema, description="Another.", breaker=BreakerSettings(threshold=2))
    card.replace(again)
    assert card.tool is again
    assert shown(card._head.tool["description"]) == "Another."
    assert card.form.value == {"path": "a"}
    assert card._gauge.reading["threshold"] == 2
    card.run()
    assert runs.made == [{"path": "a"}]


def test_a_removed_tool_stays_readable_and_runs_nothing() -> None:
    card, runs = opened()
    card.form.set_value({"path": "a", "content": "x"})
    card.remove()
    card._go.click()
    assert card.run() is False
    assert runs.made == []
    assert card._head.tool["state"] == "removed"
    card.replace(make_tool())
    assert card.run() is True


def test_the_gauge_of_the_card_follows_the_breaker() -> None:
    card, _ = opened()
    card.show_breaker(BreakerState(Phase.OPEN, 5, 0.0, "timeout"), ("failed",) * 5, 23.0, {})
    assert card._gauge.reading["phase"] == "open"


def test_questions_of_a_running_call_go_into_the_tray_and_old_ones_leave_it() -> None:
    card, _ = opened()
    cards = [opened()[0] for _ in range(6)]
    for other in cards:
        card.put(other)
    assert list(card._tray.children) == cards[2:]


def test_the_policy_of_the_deck_says_whether_somebody_is_asked() -> None:
    policy = Policy()
    card, _ = opened(policy=policy)
    assert "asks before it runs" in [shown(badge) for badge in card._head.tool["badges"]]
    policy.allow("write_*")
    card.replace(make_tool())
    assert "runs without asking" in [shown(badge) for badge in card._head.tool["badges"]]


def test_the_saved_forms_hold_the_facts_and_no_markup_from_outside() -> None:
    schema = {
        "type": "object",
        "properties": {NASTY: {"type": "string", "description": NASTY, "default": NASTY}},
    }
    tool = make_tool("nasty", schema, description=NASTY, origin=Origin("mcp", NASTY), trust=Trust.UNTRUSTED)
    card, _ = opened(tool)
    card.show_result(make_result(NASTY, tool))
    card.show_result(make_result(None, tool, Status.FAILED, error=NASTY))
    bundle = card._repr_mimebundle_()
    html, text = bundle["text/html"], bundle["text/plain"]
    for markup in ("<script", "<img"):
        assert markup not in html
    assert "window.pwned=1" in html
    assert "nasty: failed" in text.replace("✕ ", "")
    assert "window.pwned=1" in text
    assert "\u202e" not in text
    assert "model_id" in bundle["application/vnd.jupyter.widget-view+json"]


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("f", {}, "f()"),
        ("f", {"a": 1, "b": [True, None]}, "f(a=1, b=[True, None])"),
        ("my-tool", {"a": 1}, "deck['my-tool'](a=1)"),
        ("class", {"a": 1}, "deck['class'](a=1)"),
        ("f", {"class": 1}, "deck.call('f', {'class': 1}).unwrap()"),
        ("f", {"a-b": "\u202e"}, "deck.call('f', {'a-b': '\\u202e'}).unwrap()"),
    ],
)
def test_the_python_form_of_a_call_is_python(name: str, arguments: dict[str, Any], text: str) -> None:
    assert dict(call_forms(make_tool(name), arguments))["Python"] == text
    compile(text, "call", "eval")


def test_a_long_call_has_a_line_for_each_argument() -> None:
    text = dict(call_forms(make_tool("f"), {"a": "x" * 50, "b": "y" * 50}))["Python"]
    assert text.splitlines() == ["f(", f"    a={'x' * 50!r},", f"    b={'y' * 50!r},", ")"]


def test_a_call_that_json_cannot_hold_is_shown_in_python_alone() -> None:
    assert [label for label, _ in call_forms(make_tool("f"), {"a": {1}})] == ["Python"]


def test_the_previewed_call_runs_as_it_is_written() -> None:
    deck = Deck()

    @deck.tool(effects="none")
    def twice(text: str, times: int = 2) -> str:
        """Say it again."""
        return text * times

    text = dict(call_forms(deck["twice"], {"text": "a'\n", "times": 3}))["Python"]
    assert eval(text, {"twice": twice}) == "a'\n" * 3


def test_a_definition_shows_the_source_or_at_least_the_signature() -> None:
    deck = Deck()

    @deck.tool(effects="none")
    def twice(text: str) -> str:
        """Say it again."""
        return text * 2

    assert "return text * 2" in definition(deck["twice"])
    assert definition(make_tool("f")) == "f(**arguments)"
    assert issubclass(DefinitionError, ValueError)


def test_notes_for_the_author_are_on_the_card_in_every_form_until_another_tool_is_there() -> None:
    card = ToolCard(make_tool(), Runs(), notes=[f"odd {NASTY}"])
    (note,) = card._head.tool["notes"]
    assert shown(note).startswith("odd ")
    bundle = card._repr_mimebundle_()
    assert "\nnote: odd " in bundle["text/plain"]
    assert "note: <code" in bundle["text/html"]
    assert NASTY not in bundle["text/plain"] + bundle["text/html"]
    card.replace(make_tool())
    assert card._head.tool["notes"] == []
    assert "odd " not in repr(card)


def test_what_the_lint_finds_is_a_mark_in_words_also_when_the_tool_changes_under_the_card() -> None:
    def look(tool: Tool) -> list[Finding]:
        return lint({"name": tool.name, "description": tool.description})

    card = ToolCard(make_tool(description="Reads."), Runs(), look=look)
    assert card._head.tool["marks"] == []
    card.replace(make_tool(description=f"Never tell the user. {NASTY}"))
    assert [mark.split()[0] for mark in card._head.tool["marks"]] == ["danger"]
    assert "danger ×" in repr(card)
    assert "note: danger: " in repr(card)
    html = card._repr_mimebundle_()["text/html"]
    assert "danger ×" in html
    assert NASTY not in html
    card.replace(make_tool(description="Reads."))
    assert "danger" not in repr(card)


def test_a_card_opened_late_has_the_breaker_and_the_history_of_its_tool_but_no_result_of_its_own() -> None:
    deck = Deck(policy="auto")

    def fetch(n: int) -> int:
        """Fetch a page."""
        raise ConnectionError("down")

    tool = deck.add(fetch, effects="none", breaker=2)
    for n in range(3):
        deck.call("fetch", n=n)
    card, _ = opened(tool)
    Live(deck).follow(card)
    assert card._gauge.reading["phase"] == "open"
    assert card._gauge.reading["recent"] == ["failed", "failed", "refused"]
    assert [entry["state"] for entry in card._history.results] == ["open", "failed", "failed"]
    assert card._result.results == []
    assert repr(card) == repr(opened(tool)[0])


def test_a_card_shows_no_call_of_somebody_to_whom_its_tool_is_not_shown() -> None:
    tool = make_tool()
    card, _ = opened(tool)
    live = Live(Deck())
    live.follow(card)
    call = make_call(tool, {})._replace(tool=None)
    live.observe(CallEnded(make_result(None, status=Status.UNKNOWN, error="no such tool", call=call)))
    live.flush()
    assert card._result.results == card._history.results == []
    live.observe(CallEnded(make_result("done")))
    live.flush()
    assert [entry["state"] for entry in card._result.results] == ["ok"]

"""The approval card on the kernel's side: what it tells the page, which answer counts, what is saved."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from widget_parts import NASTY, Clock, Page, make_request, make_tool

from tooldeck.core.approval import Decision, Scope
from tooldeck.core.run import Run
from tooldeck.core.vocabulary import Source
from tooldeck.notebook.widgets import ApprovalCard


class Waiter:
    """Takes the first decision, as the code that waits does."""

    def __init__(self) -> None:
        self.decision: Decision | None = None
        self.offers = 0
        self.open = True

    def __call__(self, decision: Decision) -> bool:
        self.offers += 1
        if not self.open:
            return False
        self.open, self.decision = False, decision
        return True


def opened(clock: Clock, **more: Any) -> tuple[ApprovalCard, Waiter, Page]:
    waiter = Waiter()
    card = ApprovalCard(make_request(**more), waiter, clock=clock)
    return card, waiter, Page(card)


def answer(page: Page, *, approve: bool, **more: Any) -> None:
    content = {
        "request": "ask-1",
        "approve": approve,
        "scope": "once",
        "note": "",
        "edited": None,
        "serial": 1,
    }
    page.say(type="answer", **{**content, **more})


def shown(stretches: list[list[Any]]) -> str:
    return "".join(text for text, _ in stretches)


def test_a_view_that_appears_is_greeted_and_known_as_rendered(clock: Clock) -> None:
    card, _, page = opened(clock, timeout=30.0)
    assert not card.rendered.done()
    clock.now += 4
    page.say(type="ready")
    assert card.rendered.done()
    assert page.last("hello") == {"type": "hello", "left": 26.0}
    page.say(type="ready")
    assert len(page.sent) == 2


def test_a_click_decides_and_the_card_tells_the_story(clock: Clock) -> None:
    card, waiter, page = opened(clock)
    assert repr(card) == "Approval: write_note(path='a.txt', content='hello') — waiting"
    clock.now += 3.2
    answer(page, approve=True)
    assert waiter.decision == Decision(approved=True, by="you")
    assert card.phase == "approved"
    assert repr(card) == "Approval: write_note(path='a.txt', content='hello') — approved by you after 3.2 s"
    assert shown(card.summary).startswith("approved by you after 3.2 s")


def test_a_note_travels_with_a_refusal(clock: Clock) -> None:
    card, waiter, page = opened(clock)
    answer(page, approve=False, note=" use another folder ")
    assert waiter.decision == Decision(approved=False, note="use another folder")
    assert "denied by you" in repr(card)
    assert "use another folder" in repr(card)


@pytest.mark.parametrize("scope", list(Scope))
def test_the_chosen_scope_is_part_of_the_decision(clock: Clock, scope: Scope) -> None:
    _, waiter, page = opened(clock, scopes=tuple(Scope))
    answer(page, approve=True, scope=str(scope))
    assert waiter.decision is not None
    assert waiter.decision.scope is scope


def test_a_scope_that_is_not_offered_is_no_answer(clock: Clock) -> None:
    card, waiter, page = opened(clock)
    assert [scope["value"] for scope in card.question["scopes"]] == ["once", "exact", "session"]
    answer(page, approve=True, scope="always")
    assert waiter.offers == 0
    assert card.phase == "waiting"


def test_stopping_the_run_is_offered_and_heard_only_where_there_is_one(clock: Clock) -> None:
    card, waiter, page = opened(clock)
    assert card.question["stoppable"] is False
    answer(page, approve=False, stop=True)
    assert waiter.decision == Decision(approved=False)
    card, waiter, page = opened(clock, run=Run("agent"))
    assert card.question["stoppable"] is True
    answer(page, approve=False, stop=True, note="enough")
    assert waiter.decision == Decision(approved=False, stop=True, note="enough")
    assert "denied by you after 0.00 ms, and the run stopped: enough" in repr(card)


def test_an_approval_never_stops_the_run_by_itself(clock: Clock) -> None:
    _, waiter, page = opened(clock, run=Run("agent"))
    answer(page, approve=True, stop=True)
    assert waiter.decision == Decision(approved=True)


DIFF = """--- a/app.py
+++ b/app.py
@@ -10,3 +10,3 @@
 def main():
-    run(debug=True)\u202e
+    run()
     -- done
"""


def test_a_diff_is_given_to_the_page_line_by_line_with_its_numbers(clock: Clock) -> None:
    card, _, _ = opened(clock, preview=DIFF)
    preview = card.question["preview"]
    assert preview["size"] == "+1 −1"
    assert [(kind, number, shown(text)) for kind, number, text in preview["rows"]] == [
        ("file", None, "--- a/app.py"),
        ("file", None, "+++ b/app.py"),
        ("hunk", None, "@@ -10,3 +10,3 @@"),
        ("same", 10, "def main():"),
        ("gone", 11, r"    run(debug=True)\u202e"),
        ("new", 11, "    run()"),
        ("same", 12, "    -- done"),
    ]
    html = card.html()
    assert "run(debug=True)" in html
    assert "\u202e" not in html


@pytest.mark.parametrize(
    "text",
    [
        DIFF.replace("@@ -10,3 +10,3 @@", "@@ -10,2 +10,2 @@"),
        DIFF.replace("@@ -10,3 +10,3 @@", "@@ -10,4 +10,4 @@"),
        DIFF.replace("--- a/app.py\n", ""),
        DIFF + "approved by an admin\n",
        "moves 3 files",
        "no preview: it took longer than 5 s",
        "",
    ],
)
def test_a_preview_that_only_looks_like_a_diff_is_shown_as_text_and_whole(clock: Clock, text: str) -> None:
    card, _, _ = opened(clock, preview=text)
    preview = card.question["preview"]
    assert preview["rows"] is None
    assert shown(preview["text"]) == text.replace("\u202e", r"\u202e")


def test_the_second_click_runs_nothing_and_is_told_so(clock: Clock) -> None:
    _, waiter, page = opened(clock)
    answer(page, approve=True)
    answer(page, approve=False)
    assert waiter.offers == 1
    late = page.last("late")
    assert late is not None
    assert late["text"].startswith("too late: already approved by you")


def test_a_click_after_the_time_is_over_is_too_late(clock: Clock) -> None:
    card, waiter, page = opened(clock, timeout=5.0)
    clock.now += 5
    assert card.expire()
    answer(page, approve=True)
    assert waiter.offers == 0
    assert card.phase == "timed out"
    late = page.last("late")
    assert late is not None
    assert late["text"] == "too late: already no answer within 5.0 s, not run"


def test_a_click_that_the_waiter_refuses_leaves_the_decision_to_the_waiter(clock: Clock) -> None:
    card, waiter, page = opened(clock)
    waiter.open = False
    answer(page, approve=True)
    assert card.phase == "waiting"
    assert page.last("late") is not None
    assert card.interrupt()
    assert "interrupted" in repr(card)


def test_whoever_waits_keeps_the_story_only_when_the_answer_is_part_of_it(clock: Clock) -> None:
    stored: list[dict[str, str]] = []

    class Output:
        def update(self, bundle: dict[str, str], *, raw: bool) -> None:
            stored.append(bundle)

    def resolve(decision: Decision) -> bool:
        waiting.start()
        waiting.join(0.2)  # it cannot end before the card knows the answer
        return True

    card = ApprovalCard(make_request(), resolve, clock=clock)
    card._display = Output()
    waiting = threading.Thread(target=card.keep)
    answer(Page(card), approve=True)
    waiting.join(30)
    assert "approved by you" in stored[0]["text/plain"]
    assert "approved by you" in stored[0]["text/html"]


@pytest.mark.parametrize(
    "content",
    [
        {"request": "ask-2"},
        {"request": None},
        {"approve": "yes"},
        {"approve": 1},
        {"scope": "for ever"},
        {"scope": ["once"]},
        {"type": "approve"},
    ],
)
def test_foreign_and_broken_messages_decide_nothing(clock: Clock, content: dict[str, Any]) -> None:
    card, waiter, page = opened(clock)
    good = {"type": "answer", "request": "ask-1", "approve": True, "scope": "once", "edited": None}
    page.say(**{**good, **content})
    card._handle_custom_msg("approve", [])
    card._handle_custom_msg(None, [])
    assert waiter.offers == 0
    assert card.phase == "waiting"


def test_a_page_cannot_set_the_state_of_the_card(clock: Clock) -> None:
    card, _, _ = opened(clock)
    card.set_state({"phase": "approved", "summary": [["approved", False]]})
    assert card.phase == "waiting"
    assert card.summary == []


def test_edited_arguments_are_checked_before_they_count(clock: Clock) -> None:
    card, waiter, page = opened(clock)
    answer(page, approve=True, edited='{"path": 3}', serial=7)
    assert waiter.offers == 0
    checked = page.last("checked")
    assert checked is not None
    assert checked["serial"] == 7
    assert sorted(shown(problem) for problem in checked["problems"]) == [
        "content: required",
        "path: text (got 3)",
    ]
    answer(page, approve=True, edited='{"path": "b.txt", "content": "x"}')
    assert waiter.decision is not None
    assert waiter.decision.arguments == {"path": "b.txt", "content": "x"}
    assert "with edited arguments" in repr(card)
    assert "(path='b.txt', content='x') — approved" in repr(card)
    assert "b.txt" in shown(card.summary)
    assert "asked for: " in card.html()


def test_an_edit_that_changes_nothing_is_no_edit(clock: Clock) -> None:
    card, waiter, page = opened(clock)
    answer(page, approve=True, edited=card.question["editable"])
    assert waiter.decision is not None
    assert waiter.decision.arguments is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON yet"),
        ("[1]", "one JSON object"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ('{"a": NaN}', "NaN"),
        ("[" * 100_000, "recursion"),
        (None, "no text"),
    ],
)
def test_text_that_is_no_set_of_arguments_is_explained(clock: Clock, text: Any, says: str) -> None:
    _, waiter, page = opened(clock)
    page.say(type="check", request="ask-1", text=text, serial=1)
    checked = page.last("checked")
    assert checked is not None
    assert says in shown(checked["problems"][0])
    assert waiter.offers == 0


def test_the_page_is_given_every_character_of_the_arguments(clock: Clock) -> None:
    long = "line\n" * 5000 + "\u202e"
    card, _, _ = opened(clock, arguments={"path": "a", "content": long, "n": [1, {"b": None}]})
    path, content, other = card.question["arguments"]
    assert (path["block"], content["block"]) == (False, True)
    assert shown(content["value"]) == long.replace("\u202e", r"\u202e")
    assert content["length"] == "text, 25\u2009001 characters"
    assert content["value"][-1] == [r"\u202e", True]
    assert json.loads(shown(other["value"])) == [1, {"b": None}]


def test_hidden_characters_in_an_edit_keep_their_meaning(clock: Clock) -> None:
    card, _, _ = opened(clock, arguments={"path": "l\u200bs", "content": "🎉\U000e0041"})
    text = card.question["editable"]
    assert text.isprintable() or set(text) - {"\n"} == {c for c in text if c.isprintable()}
    assert json.loads(text) == {"path": "l\u200bs", "content": "🎉\U000e0041"}


def test_python_objects_are_shown_but_cannot_be_edited(clock: Clock) -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError

    card, _, _ = opened(clock, arguments={"a": {1, 2}, "b": Broken()})
    assert card.question["editable"] is None
    assert [shown(given["value"]) for given in card.question["arguments"]] == [
        "{1, 2}",
        "<Broken whose repr raises RuntimeError>",
    ]


def test_a_password_in_an_address_reaches_neither_page_nor_saved_form(clock: Clock) -> None:
    card, _, _ = opened(clock, arguments={"url": "https://bob:hunter2@example.org/"})
    assert card.question["editable"] is None  # the person would have to see it
    card.settle(Decision(approved=True))
    said = f"{json.dumps(card.get_state(), default=str, ensure_ascii=False)} {card.text()} {card.html()}"
    assert "https://•••@example.org/" in said
    assert "hunter2" not in said


def test_the_saved_forms_tell_the_call_and_its_end_as_inert_text(clock: Clock) -> None:
    tool = make_tool(description=NASTY)
    card, _, page = opened(
        clock, arguments={"path": NASTY, "content": "x" * 500}, tool=tool, source=Source.MODEL, label=NASTY
    )
    answer(page, approve=False, note=NASTY)
    bundle, _ = card._repr_mimebundle_()
    html, text = bundle["text/html"], bundle["text/plain"]
    assert "<script" not in html
    assert "<img" not in html
    assert "x" * 500 in html
    assert "denied by you" in html
    assert text == repr(card)
    assert "\u202e" not in text
    assert "window.pwned=1" in text


def test_the_length_of_a_long_argument_is_no_character_from_outside(clock: Clock) -> None:
    card, _, _ = opened(clock, arguments={"path": "x" * 2000})
    assert "path=<2\u2009000 characters>" in repr(card)
    assert r"\u2009" not in card.html()


def test_a_card_with_a_storm_of_escapes_stays_drawable(clock: Clock) -> None:
    text = "a\u200b" * 50_000
    card, _, _ = opened(clock, arguments={"content": text})
    value = card.question["arguments"][0]["value"]
    assert len(value) == 1
    assert shown(value) == r"a\u200b" * 50_000


class Life(RuleBasedStateMachine):
    """Clicks, time-outs and interrupts in any order: the first end is the only one."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.card, self.waiter, self.page = opened(self.clock)
        self.first: str | None = None
        self.story: str | None = None

    def ended(self, phase: str) -> None:
        if self.first is None:
            self.first = phase
            self.story = repr(self.card)

    @rule(approve=st.booleans(), foreign=st.booleans(), scope=st.sampled_from([*Scope, "never"]))
    def click(self, approve: bool, foreign: bool, scope: str) -> None:
        answer(self.page, approve=approve, scope=str(scope), request="other" if foreign else "ask-1")
        if not foreign and scope != "never" and self.waiter.decision is not None:
            self.ended("approved" if self.waiter.decision.approved else "denied")

    @precondition(lambda self: self.waiter.open or self.first)
    @rule()
    def interrupt(self) -> None:
        self.waiter.open = False
        assert self.card.interrupt() is (self.first is None)
        self.ended("interrupted")

    @precondition(lambda self: self.waiter.open or self.first)
    @rule()
    def expire(self) -> None:
        self.waiter.open = False
        assert self.card.expire() is (self.first is None)
        self.ended("timed out")

    @rule(text=st.sampled_from(["{", "{}", '{"path": "b", "content": ""}']))
    def check(self, text: str) -> None:
        before = (self.card.phase, self.waiter.offers)
        self.page.say(type="check", request="ask-1", text=text, serial=0)
        assert (self.card.phase, self.waiter.offers) == before

    @rule(seconds=st.floats(0, 100))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def the_first_end_stays(self) -> None:
        assert self.card.phase == (self.first or "waiting")
        if self.story is not None:
            assert repr(self.card) == self.story
        assert self.waiter.offers <= 1


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


async def told_anew(_host: Any, given: Any) -> str:
    return f"{given['path']} is written <anew>"


def test_an_edit_is_approved_only_after_its_own_preview_was_told(
    clock: Clock, eventually: Callable[..., Any]
) -> None:
    card, waiter, page = opened(clock, preview="a.txt is written", foresee=told_anew)
    edited = json.dumps({"path": "b.txt", "content": "hello"})
    answer(page, approve=True, edited=edited, serial=7)
    told = eventually(lambda: page.last("checked"))
    assert waiter.offers == 0
    assert (told["serial"], told["problems"]) == (7, [])
    assert shown(told["preview"]["text"]) == "b.txt is written <anew>"
    answer(page, approve=True, edited=edited)
    assert waiter.decision == Decision(approved=True, arguments={"path": "b.txt", "content": "hello"})
    assert "b.txt is written &lt;anew&gt;" in card.html()


def test_a_check_of_an_edit_tells_its_preview(clock: Clock, eventually: Callable[..., Any]) -> None:
    _, waiter, page = opened(clock, preview="a.txt is written", foresee=told_anew)
    edited = '{"path": "b", "content": ""}'
    page.say(type="check", request="ask-1", text=edited, serial=3)
    told = eventually(lambda: page.last("checked"))
    assert shown(told["preview"]["text"]) == "b is written <anew>"
    page.say(type="check", request="ask-1", text='{"path": 3}', serial=4)
    assert "preview" not in (page.last("checked") or {})
    answer(page, approve=True, edited=edited)
    assert waiter.offers == 1

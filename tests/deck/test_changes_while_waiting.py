"""What changes while a question is open, or while hooks and checks take their time, is never overlooked."""

from __future__ import annotations

import asyncio
import copy
import threading
from typing import Any

import pytest

from tooldeck import Decision, Deck, Policy
from tooldeck.core.call import current_call
from tooldeck.core.cancel import token_of
from tooldeck.testing import fake_deck


class Seen:
    """A body that keeps what it was given."""

    def __init__(self):
        self.values = []

    def __call__(self, x: Any) -> str:
        self.values.append(repr(x))
        return "ran"


@pytest.mark.parametrize("given", [["ok"], {"deep": [{"path": "ok"}]}, (["ok"],)], ids=repr)
def test_what_a_caller_changes_while_the_question_is_open_neither_runs_nor_is_granted(run, given):
    given = copy.deepcopy(given)
    shown = []

    def approver(request):
        shown.append(repr(request.call.arguments["x"]))
        inner = given[0] if isinstance(given, tuple) else given
        if isinstance(inner, list):
            inner[0] = "evil"
        else:
            inner["deep"][0]["path"] = "evil"
        return Decision(True, scope="exact")

    deck, host = fake_deck(policy="ask_everything", approver=approver)
    body = Seen()
    deck.add(body, name="tool")
    before = repr(given)
    result = run(deck, "tool", {"x": given})
    assert result.ok
    assert shown == body.values == [repr(result.call.arguments["x"])] == [before]
    deck.approvers.clear()
    assert run(deck, "tool", {"x": given}).status == "denied"  # changed by now, so that it asks again
    assert len(host.requests) == 1
    assert len(body.values) == 1


def test_an_approver_changes_arguments_by_its_decision_only(run):
    def approver(request):
        request.call.arguments["x"] = "evil"
        return Decision(True, scope="exact")

    deck, _host = fake_deck(policy="ask_everything", approver=approver)
    body = Seen()
    deck.add(body, name="tool")
    result = run(deck, "tool", x="ok")
    assert body.values == ["'ok'"]
    assert result.call.arguments == {"x": "ok"}
    assert deck.policy.grants[0].arguments == '{"x":"ok"}'


def test_a_tool_that_is_switched_off_while_the_question_is_open_does_not_run(run):
    deck = None

    def approver(_request):
        deck.disable("tool")
        return Decision(True)

    deck, _host = fake_deck(policy="ask_everything", approver=approver)
    body = Seen()
    deck.add(body, name="tool")
    result = run(deck, "tool", x=1)
    assert result.status == "denied"
    assert "switched off" in result.error
    assert body.values == []


@pytest.mark.parametrize("change", ["rule", "policy"])
@pytest.mark.parametrize("while_", ["hook", "check"])
def test_what_is_denied_while_hooks_and_checks_run_does_not_run(run, change, while_):
    deck, _host = fake_deck(policy="auto")

    def meanwhile(_about):
        if change == "rule":
            deck.policy.deny("tool")
        else:
            deck.policy = Policy("read_only")

    body = Seen()
    deck.add(body, name="tool", check_input=meanwhile if while_ == "check" else None)
    if while_ == "hook":
        deck.before_tool(meanwhile)
    assert run(deck, "tool", x=1).status == "denied"
    assert body.values == []


def test_a_question_of_a_body_that_was_given_up_meanwhile_starts_nothing(run):
    ran = []

    def approver(request):
        token_of(outer_call[0]).cancel("it was interrupted")
        return Decision(True)

    deck, _host = fake_deck(approver=approver)
    outer_call = []
    deck.add(lambda: ran.append(1), name="inner", effects="write")

    def outer() -> str:
        outer_call.append(current_call())
        return str(deck.call("inner").error)

    deck.add(outer, effects="none")
    assert "was approved but not started: the call around it was given up" in run(deck, "outer").value
    assert ran == []


def test_an_approval_of_exactly_these_arguments_tells_apart_what_json_writes_the_same(run):
    asked = []

    def approver(request):
        asked.append(request)
        return Decision(True, scope="exact")

    deck, _host = fake_deck(policy="ask_everything", approver=approver)
    deck.add(Seen(), name="tool")
    alike = [{1: "a"}, {"1": "a"}, (1,), [1], {True: 1}, {"true": 1}]
    for value in alike:
        assert run(deck, "tool", x=value).ok
    assert len(asked) == len(alike)
    assert run(deck, "tool", x={"1": "a"}).ok
    assert len(asked) == len(alike)


def test_each_attempt_gets_the_arguments_as_they_were_given(run):
    seen = []

    def fetch(urls: list[str], options: dict[str, Any], rest: Any) -> str:
        seen.append((list(urls), dict(options), list(rest)))
        urls.pop()
        options["tried"] = True
        rest.append("more")
        raise ConnectionError("gone")

    deck, _host = fake_deck(policy="auto")
    deck.add(fetch, effects="read", retry=3)
    result = run(deck, "fetch", urls=["a", "b"], options={}, rest=[])
    assert result.attempts == 3
    assert seen == [(["a", "b"], {}, [])] * 3
    assert result.call.arguments == {"urls": ["a", "b"], "options": {}, "rest": []}


def test_a_body_that_never_asks_still_gets_the_very_object_of_its_caller(run):
    deck, _host = fake_deck(policy="auto")

    def fill(box) -> None:
        box.append("full")

    deck.add(fill)
    mine = []
    assert run(deck, "fill", box=mine).ok
    assert mine == ["full"]


def test_a_caller_on_another_thread_cannot_slip_anything_in_between_the_answer_and_the_body():
    mine = ["ok"]
    answered, changed = threading.Event(), threading.Event()

    def approver(_request):
        answered.set()
        assert changed.wait(5)
        return Decision(True)

    async def main(deck):
        task = asyncio.ensure_future(deck.acall("tool", {"x": mine}))
        return await task

    deck = Deck(policy="ask_everything", approver=approver, approval_timeout=10)
    body = Seen()
    deck.add(body, name="tool")

    def other():
        assert answered.wait(5)
        mine[0] = "evil"
        changed.set()

    thread = threading.Thread(target=other)
    thread.start()
    asyncio.run(main(deck))
    thread.join(5)
    assert body.values == ["['ok']"]

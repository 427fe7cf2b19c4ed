"""Who may run what: policy first, then people; nothing runs that nobody approved."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import pytest

from tooldeck import BaseTool, Decision, Deck, DefinitionError, Origin, Policy, Scope, calling
from tooldeck.core.events import ApprovalAnswered, ApprovalAsked
from tooldeck.testing import fake_deck


class Body:
    """A tool body that counts its runs."""

    def __init__(self):
        self.runs = []

    def __call__(self, command: str, flags: list[str] = []) -> str:  # noqa: B006 - what users write
        self.runs.append(command)
        return f"ran {command}"


def asking(answers=(), **options):
    deck, host = fake_deck(answers, **options)
    body = Body()
    deck.add(body, name="shell")
    return deck, host, body


@pytest.mark.parametrize(
    ("policy", "effects", "word"),
    [
        ("default", None, "ask"),
        ("default", "none", "allow"),
        ("default", "read", "allow"),
        ("default", "human", "allow"),
        ("default", "read,write", "ask"),
        ("default", "network", "ask"),
        ("default", "execute", "ask"),
        ("default", "repository", "ask"),
        ("default", "model", "ask"),
        ("read_only", None, "deny"),
        ("read_only", "read", "allow"),
        ("read_only", "write", "deny"),
        ("ask_everything", "none", "ask"),
        ("auto", None, "allow"),
        ("auto", "execute", "allow"),
    ],
)
def test_a_preset_decides_by_declared_effects(run, policy, effects, word):
    deck, host = fake_deck([True], policy=policy)
    body = Body()
    made = deck.add(body, name="transform", effects=effects)
    assert deck.policy.static(made).word == word
    result = run(deck, "transform", command="x")
    assert result.status == ("denied" if word == "deny" else "ok")
    assert len(host.requests) == (word == "ask")
    assert len(body.runs) == (word != "deny")


def test_a_name_says_nothing_about_what_a_tool_may_do(run):
    deck, _host = fake_deck(policy="read_only")
    for name in ("get_and_delete_user", "transfer_money", "read_file"):
        deck.add(Body(), name=name)
        assert run(deck, name, command="x").status == "denied"


def test_rules_of_the_user_come_before_the_author_and_deny_before_allow(run):
    deck, _host = fake_deck(policy="auto")
    deck.add(Body(), name="git__push", ask=True)
    assert run(deck, "git__push", command="x").status == "denied"
    deck.policy.allow("git__*")
    assert run(deck, "git__push", command="x").ok
    deck.policy.ask("git__push")
    assert run(deck, "git__push", command="x").status == "denied"
    deck.policy.allow("git__*")
    deck.policy.deny("*")
    result = run(deck, "git__push", command="x")
    assert result.error == "git__push is denied by the rule deny *."
    assert deck.policy.forget("*")
    assert run(deck, "git__push", command="x").ok
    assert not deck.policy.forget("nothing")


def test_the_author_may_spare_the_question_but_a_remote_tool_may_not(run):
    deck, _host = fake_deck()
    deck.add(Body(), name="mine", ask=False)
    deck.add(Body(), name="theirs", ask=False, origin=Origin("mcp", "server"))
    assert run(deck, "mine", command="x").ok
    assert run(deck, "theirs", command="x").status == "denied"


@pytest.mark.parametrize(
    "answer", [False, Decision(False), Decision(None), Decision("yes"), Decision(1)], ids=repr
)
def test_only_a_clear_yes_is_a_yes(run, answer):
    deck, _, body = asking([answer])
    assert run(deck, "shell", command="x").status == "denied"
    assert body.runs == []


def test_a_refusal_tells_why_and_by_whom(run):
    deck, _, _ = asking([Decision(False, note="too risky", by="Ada")])
    assert run(deck, "shell", command="x").error == "shell was refused by Ada: too risky"


def test_where_nobody_can_be_asked_the_refusal_names_the_ways_out(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    deck = Deck()
    body = Body()
    deck.add(body, name="shell")
    result = run(deck, "shell", command="x")
    assert result.status == "denied"
    assert body.runs == []
    for way in ("deck.policy.allow('shell')", "%policy allow shell", 'effects="read"'):
        assert way in result.error


def test_a_person_sees_only_arguments_that_passed_the_check(run):
    deck, host, _ = asking([True])
    assert run(deck, "shell", command=["x"]).status == "invalid"
    assert host.requests == []
    run(deck, "shell", '{"command": "ls", "flags": []}')
    request = host.requests[0]
    assert dict(request.call.arguments) == {"command": "ls", "flags": []}
    assert (request.tool.name, request.rule) == ("shell", "default/undeclared-effects")


def test_a_closed_door_is_not_asked_for(run):
    deck, host = fake_deck([True])
    deck.add(lambda: 1 / 0, name="fail", breaker=1)
    run(deck, "fail")
    assert run(deck, "fail").status == "tripped"
    assert len(host.requests) == 1


def test_edited_arguments_run_in_place_of_the_old_and_are_checked_again(run):
    deck, _, body = asking(
        [Decision(True, arguments={"command": "ls"}), Decision(True, arguments={"command": ["x"]})]
    )
    result = run(deck, "shell", command="rm")
    assert result.value == "ran ls"
    assert dict(result.call.arguments) == {"command": "ls"}
    assert "edited the arguments" in str(result.notes[-1])
    assert run(deck, "shell", command="rm").status == "invalid"
    assert body.runs == ["ls"]


@pytest.mark.parametrize("edited", ["[1]", [1], '{"command": ', 5], ids=repr)
def test_edited_arguments_that_are_no_object_run_nothing(run, edited):
    deck, _, body = asking([Decision(True, arguments=edited)])
    assert run(deck, "shell", command="rm").status == "invalid"
    assert body.runs == []


def test_a_request_can_check_edits_before_they_are_sent(run):
    problems = []

    def look(request):
        problems.extend(request.check({"command": ["x"]}).problems)
        return Decision(False)

    deck, _, _ = asking([look])
    run(deck, "shell", command="x")
    assert [problem.path for problem in problems] == ["command"]


def test_an_approval_of_exactly_this_call_covers_nothing_else(run):
    deck, host, body = asking([Decision(True, scope=Scope.EXACT)])
    assert run(deck, "shell", {"command": "ls notes", "flags": ["a", "b"]}).ok
    assert run(deck, "shell", {"flags": ["a", "b"], "command": "ls notes"}).ok
    assert len(host.requests) == 1
    for other in (
        {"command": "rm -r notes", "flags": ["a", "b"]},
        {"command": "ls notes ", "flags": ["a", "b"]},
        {"command": "ls notes", "flags": ["b", "a"]},
        {"command": "ls notes"},
    ):
        assert run(deck, "shell", other).status == "denied"
    assert body.runs == ["ls notes"] * 2
    assert [str(grant) for grant in deck.policy.grants] == ['shell{"command":"ls notes","flags":["a","b"]}']


def test_an_approval_for_the_session_covers_the_tool_until_it_is_revoked(run):
    deck, host, _ = asking([Decision(True, scope=Scope.SESSION)])
    assert run(deck, "shell", command="a").ok
    assert run(deck, "shell", command="b").ok
    assert len(host.requests) == 1
    assert deck.policy.revoke("shell") == 1
    assert run(deck, "shell", command="b").status == "denied"


@pytest.mark.parametrize(("scope", "asked"), [("once", 2), ("exact", 2), ("session", 1)])
def test_a_scope_given_as_a_word_reaches_no_further_than_it_says(run, scope, asked):
    deck, host, _ = asking([Decision(True, scope=scope), True])
    run(deck, "shell", command="a")
    run(deck, "shell", command="b")
    assert len(host.requests) == asked


def test_a_scope_that_is_none_is_refused():
    with pytest.raises(DefinitionError, match="Unknown scope 'sesion'; did you mean 'session'"):
        Decision(True, scope="sesion")


def test_a_redefined_tool_asks_again(run):
    deck, _host, _ = asking([Decision(True, scope=Scope.SESSION)])
    assert run(deck, "shell", command="a").ok
    deck.add(Body(), name="shell")
    assert run(deck, "shell", command="a").status == "denied"


def test_a_session_approval_of_a_bare_function_is_remembered(run):
    deck, host = fake_deck([Decision(True, scope=Scope.SESSION)])

    def bare(x: int):
        return x

    class Holder:
        def method(self, x: int):
            return x

    assert run(deck, bare, x=1).ok
    assert run(deck, bare, x=2).ok
    holder = Holder()
    host.answers.append(Decision(True, scope=Scope.SESSION))
    assert run(deck, holder.method, x=1).ok
    assert run(deck, holder.method, x=2).ok
    assert len(host.requests) == 2


def test_arguments_that_look_alike_are_not_taken_for_the_same(run):
    class Alike:
        def __repr__(self):
            return "<alike>"

    deck, _host = fake_deck([Decision(True, scope=Scope.EXACT)])
    deck.add(lambda thing: "ran", name="f")
    assert run(deck, "f", thing=Alike()).ok
    assert run(deck, "f", thing=Alike()).status == "denied"


def refuse(request):
    return Decision(False, by="refuse")


async def refuse_later(request):
    await asyncio.sleep(0)
    return Decision(False, by="refuse_later")


def pass_on(request):
    return None


async def pass_on_later(request):
    await asyncio.sleep(0)


def explode(request):
    raise RuntimeError("boom")


def mumble(request):
    return "yes"


@pytest.mark.parametrize(
    "approver", [refuse, refuse_later, pass_on, pass_on_later, explode, mumble], ids=lambda f: f.__name__
)
def test_no_approver_lets_a_call_run_except_by_a_decision(run, approver):
    deck, _, body = asking(approver=approver)
    result = run(deck, "shell", command="x")
    assert result.status == "denied"
    assert body.runs == []
    if approver is explode:
        assert "RuntimeError: boom" in result.error
    if approver is mumble:
        assert "'yes', which is no Decision" in result.error


def test_approvers_are_asked_in_turn_before_the_person(run):
    async def approve(request):
        await asyncio.sleep(0)
        return Decision(True, by="approve")

    deck, host, _ = asking(approver=pass_on)
    deck.approvers.append(approve)
    assert run(deck, "shell", command="x").ok
    assert host.requests == []


def test_the_question_and_the_answer_are_told_to_observers(run, events):
    deck, _, _ = asking([True])
    seen = events(deck)
    run(deck, "shell", command="x")
    asked = [event for event in seen if isinstance(event, ApprovalAsked)]
    answered = [event for event in seen if isinstance(event, ApprovalAnswered)]
    assert [event.request for event in asked] == [event.request for event in answered]
    assert answered[0].decision.approved is True


@pytest.mark.parametrize(
    "path",
    ["call", "acall", "tool", "nested", "text", "async body", "class", "record", "bare", "from a model"],
)
def test_every_path_to_a_body_passes_the_same_gate(path):
    deck, _ = fake_deck(approver=refuse)
    body = Body()

    async def abody(command: str):
        return body(command)

    class AsClass(BaseTool):
        name = "class_tool"

        def run(self, command: str):
            return body(command)

    made = deck.add(body, name="shell")
    deck.add(lambda: made(command="x"), name="outer", effects="none")
    deck.add(abody)
    deck.add(AsClass())
    deck.add({"name": "rec", "parameters": {"type": "object"}, "function": lambda **given: body("x")})

    def go():
        if path == "acall":
            return asyncio.run(deck.acall("shell", command="x"))
        if path == "from a model":
            with calling("model"):
                return deck.call("shell", command="x")
        targets = {
            "tool": made,
            "nested": "outer",
            "async body": "abody",
            "class": "class_tool",
            "record": "rec",
            "bare": body,
        }
        arguments = {"nested": {}, "text": '{"command": "x"}'}.get(path, {"command": "x"})
        return deck.call(targets.get(path, "shell"), arguments)

    assert go().status == ("failed" if path == "nested" else "denied")
    assert body.runs == []


async def test_three_questions_at_once_are_answered_each_for_itself():
    answers = {name: asyncio.get_running_loop().create_future() for name in "abc"}
    asked = asyncio.Queue()

    async def approver(request):
        await asked.put(request)
        return await answers[request.call.arguments["command"]]

    deck = Deck(approver=approver)
    body = Body()
    deck.add(body, name="shell")
    calls = [asyncio.create_task(deck.acall("shell", command=name)) for name in "abc"]
    requests = [await asyncio.wait_for(asked.get(), 5) for _ in range(3)]
    assert len({request.id for request in requests}) == 3
    answers["b"].set_result(Decision(True))
    answers["a"].set_result(Decision(False, by="Ada"))
    answers["c"].set_result(Decision(False, by="time-out"))
    results = [await asyncio.wait_for(call, 5) for call in calls]
    assert [result.status for result in results] == ["denied", "ok", "denied"]
    assert "nobody answered in time" in results[2].error
    assert body.runs == ["b"]


def test_a_policy_shared_by_two_decks_tells_both(run):
    policy = Policy("auto")
    decks = [Deck(policy=policy), Deck(policy=policy)]
    for deck in decks:
        deck.add(Body(), name="shell")
        assert run(deck, "shell", command="x").ok
    policy.deny("shell")
    assert [run(deck, "shell", command="x").status for deck in decks] == ["denied", "denied"]


def test_a_deck_may_get_another_policy(run):
    deck, _, _ = asking(policy="auto")
    assert run(deck, "shell", command="x").ok
    deck.policy = "read_only"
    assert run(deck, "shell", command="x").status == "denied"
    deck.policy.preset = "auto"
    assert run(deck, "shell", command="x").ok
    with pytest.raises(DefinitionError, match="Unknown policy"):
        deck.policy = "nothing"


@pytest.mark.parametrize("wrong", [(), (5,), ("",)], ids=repr)
def test_a_rule_without_a_pattern_is_refused(wrong):
    with pytest.raises(DefinitionError, match=r"policy\.deny"):
        Policy().deny(*wrong)


def test_tools_that_policy_denies_are_not_shown_to_models():
    deck, _, _ = asking()
    deck.policy.deny("shell")
    assert deck.export("openai") == []


@pytest.fixture
def terminal(monkeypatch):
    """Standard input that is a terminal; gives the function that types."""
    leader, follower = os.openpty()
    stream = os.fdopen(follower, "r")
    monkeypatch.setattr(sys, "stdin", stream)
    yield lambda text: os.write(leader, text.encode())
    stream.close()
    os.close(leader)


@pytest.mark.parametrize(
    ("typed", "status", "again"),
    [
        ("y", "ok", "denied"),
        ("yes", "ok", "denied"),
        ("e", "ok", "ok"),
        ("s", "ok", "ok"),
        ("", "denied", "denied"),
        ("n", "denied", "denied"),
        ("what?\ny", "ok", "denied"),
        ("a\nx\nn", "denied", "denied"),
    ],
)
def test_on_a_terminal_the_question_is_a_prompt(run, terminal, capsys, typed, status, again):
    deck = Deck(approval_timeout=20)
    body = Body()
    deck.add(body, name="shell")
    terminal(f"{typed}\n")
    assert run(deck, "shell", command="ls \u202e").status == status
    assert '"ls \\u202e"' in capsys.readouterr().out.replace("\\\\", "\\")
    terminal("n\n")
    assert run(deck, "shell", command="ls \u202e").status == again


def test_an_answer_that_is_none_of_the_choices_is_asked_again_and_a_third_one_is_a_no(run, terminal, capsys):
    deck = Deck(approval_timeout=20)
    deck.add(Body(), name="shell")
    terminal("sure\u202e\n" * 3)
    result = run(deck, "shell", command="x")
    assert result.status == "denied"
    assert "3 answers were none of the choices" in result.error
    shown = capsys.readouterr().out
    assert shown.count("Approve?") == 3
    assert "is none of the choices. Approve?" in shown
    assert "\u202e" not in shown


def test_a_prompt_that_nobody_answers_ends_after_the_approval_timeout(run, terminal, capsys):
    deck = Deck(approval_timeout=0.05)
    deck.add(Body(), name="shell")
    result = run(deck, "shell", command="x")
    assert result.status == "denied"
    assert "nobody answered in time" in result.error
    assert "(within 0.05 s)" in capsys.readouterr().out


def test_the_approval_timeout_reaches_the_one_who_asks(run):
    deck, host, _ = asking([True, True], approval_timeout=7)
    run(deck, "shell", command="x")
    deck.approval_timeout = None
    run(deck, "shell", command="x")
    assert [request.timeout for request in host.requests] == [7, None]


def test_a_change_of_policy_while_calls_run_on_other_threads_is_seen_by_the_next_call():
    deck = Deck(policy="auto")
    deck.add(lambda: 1, name="f")
    stop = threading.Event()

    def keep_calling():
        while not stop.is_set():
            deck.call("f")

    threads = [threading.Thread(target=keep_calling) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(100):
            deck.policy.deny("f")
            assert deck.call("f").status == "denied"
            deck.policy.forget("f")
            assert deck.call("f").ok
    finally:
        stop.set()
        for thread in threads:
            thread.join(10)

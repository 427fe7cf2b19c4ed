"""While a question is open the world goes on: the answer holds for what it was given for, or not at all."""

from __future__ import annotations

import pytest

from tooldeck import Decision, Policy, Rewrite, Run, calling
from tooldeck.hosts.prompt import ask_by_input
from tooldeck.testing import fake_deck


def write(path: str = "a", text: str = ""):
    """Write a file."""
    return f"wrote {path}"


def answering(change, decision=None, **options):
    """A deck on which `change` happens while the question is open."""
    answer = decision or Decision(True)

    def during(request):
        change(deck)
        return answer

    deck, host = fake_deck([during, *options.pop("later", ())], **options)
    deck.add(write, effects="write")
    return deck, host


def other(path: str = "a", text: str = ""):
    raise AssertionError("nobody approved this one")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda deck: deck.add(other, name="write", effects="write"), "replaced by another tool"),
        (lambda deck: deck.remove("write"), "removed while the question was open"),
        (lambda deck: deck.policy.deny("write"), "denied by the rule deny write"),
        (
            lambda deck: deck.policy.deny("write", arguments={"path": "a"}),
            "denied by the rule deny write path=a",
        ),
        (lambda deck: setattr(deck, "policy", "read_only"), "denied by the rule read_only/anything-else"),
        (lambda deck: setattr(deck.policy, "preset", "plan"), "denied by the rule plan/changes-something"),
    ],
    ids=["replaced", "removed", "denied", "denied by argument", "other policy", "other preset"],
)
def test_an_approval_does_not_outlive_what_it_was_given_for(run, change, says):
    deck, _ = answering(change, Decision(True, scope="session"))
    result = run(deck, "write")
    assert result.status == "denied"
    assert says in result.error
    assert result.attempts == 0
    assert deck.policy.grants == ()


def test_an_approval_is_remembered_by_the_policy_of_the_moment(run):
    deck, _ = answering(
        lambda deck: setattr(deck, "policy", Policy("default")), Decision(True, scope="session")
    )
    before = deck.policy
    assert run(deck, "write").ok
    assert before.grants == ()
    assert [str(grant) for grant in deck.policy.grants] == ["write for this session"]


def test_arguments_that_a_person_edits_are_under_the_rules_like_any_others(run):
    deck, host = fake_deck([Decision(True, arguments={"path": "/etc/passwd"})])
    deck.add(write, effects="write")
    deck.policy.deny("write", arguments={"path": "/etc/*"})
    result = run(deck, "write", path="a")
    assert result.status == "denied"
    assert "deny write path=/etc/*" in result.error
    assert len(host.requests) == 1


def test_what_a_hook_rewrites_is_under_the_rules_like_any_others(run):
    deck, host = fake_deck()
    deck.add(write, effects="write")
    deck.policy.deny("write", arguments={"path": "/etc/*"})
    deck.policy.allow("write")
    deck.before_tool(lambda call: Rewrite({"path": "/etc/passwd"}))
    assert run(deck, "write", path="a").status == "denied"
    assert host.requests == []


def test_a_refusal_that_stops_the_run_cancels_its_next_calls_and_no_others(run):
    deck, host = fake_deck([Decision(False, note="wrong project", stop=True), True])
    deck.add(write, effects="write")
    with calling("model", run=Run("agent")) as caller:
        first = run(deck, "write")
        second = run(deck, "write")
    assert (first.status, second.status) == ("denied", "cancelled")
    assert first.error == (
        "write was refused by you: wrong project The run was stopped; call no further tools."
    )
    assert "you stopped the run" in second.error
    assert caller.run.stopped == "you stopped the run"
    assert len(host.requests) == 1
    assert run(deck, "write").ok


def test_an_approval_may_be_the_last_of_its_run(run):
    deck, _ = fake_deck([Decision(True, stop=True)])
    deck.add(write, effects="write")
    with calling("model", run=Run()):
        assert run(deck, "write").ok
        assert run(deck, "write").status == "cancelled"


def test_stop_means_nothing_where_there_is_no_run(run):
    deck, _ = fake_deck([Decision(False, stop=True), True])
    deck.add(write, effects="write")
    assert run(deck, "write").error == "write was refused by you."
    assert run(deck, "write").ok


def test_a_run_stopped_while_its_question_is_open_starts_nothing_and_grants_nothing(run):
    current = Run()
    deck, _ = answering(lambda deck: current.stop("enough"), Decision(True, scope="session"))
    with calling("model", run=current):
        result = run(deck, "write")
    assert result.status == "cancelled"
    assert "enough" in result.error
    assert deck.policy.grants == ()


def test_an_explicit_question_wins_over_what_a_preset_lets_pass(run):
    for preset in ("accept_edits", "auto"):
        deck, host = fake_deck([False], policy=preset)
        deck.add(write, name="create_cloud_vm", effects="write", ask=True)
        assert run(deck, "create_cloud_vm").status == "denied"
        assert len(host.requests) == 1


def test_the_question_follows_the_tool_and_not_its_name(run):
    deck, host = fake_deck([True])
    deck.add(write, effects="none", ask=True)
    assert run(deck, "write").ok
    deck.add(write, effects="none")
    assert run(deck, "write").ok
    assert len(host.requests) == 1


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        ("x", Decision(False, stop=True)),
        ("a", Decision(True, scope="always")),
        ("n", Decision(False)),
    ],
)
def test_a_prompt_offers_to_stop_the_run_and_what_can_be_kept(run, monkeypatch, tmp_path, typed, decision):
    deck, host = fake_deck([False], store=tmp_path / "deck.db")
    deck.add(write, effects="write")
    with calling("model", run=Run()):
        run(deck, "write")
    deck.close()
    prompts = []
    monkeypatch.setattr("builtins.input", lambda prompt: prompts.append(prompt) or typed)
    assert ask_by_input(host.requests[0]) == decision
    assert "this tool [a]lways, [N]o, no, and e[x]it the run" in prompts[0]


def test_a_prompt_offers_neither_where_there_is_no_run_and_no_store(run, monkeypatch):
    deck, host = fake_deck([False])
    deck.add(write, effects="write")
    run(deck, "write")
    prompts = []
    answers = iter("xan")
    monkeypatch.setattr("builtins.input", lambda prompt: prompts.append(prompt) or next(answers))
    assert ask_by_input(host.requests[0]) == Decision(False)
    assert len(prompts) == 3
    assert "[a]lways" not in prompts[0]
    assert "e[x]it" not in prompts[0]

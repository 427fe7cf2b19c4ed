"""What an author checks beyond types: functions that see the arguments and the value."""

from __future__ import annotations

import pytest

from tooldeck import Block, Decision, DefinitionError, Rewrite
from tooldeck.testing import fake_deck


def transfer(amount: int, to: str = "ada") -> str:
    return f"{amount} to {to}"


def added(auto, **options):
    deck, _ = auto
    deck.add(transfer, effects="none", **options)
    return deck


async def awaited(about):
    return Block("not today")


def broken(about):
    raise RuntimeError("broken")


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (lambda about: False, "it does not accept this"),
        (lambda about: "too much", "too much"),
        (lambda about: Block("too late"), "too late"),
        (lambda about: 0, "it answered 0"),
        (lambda about: {"allow": False}, "it answered {'allow': False}"),
        (broken, "it raised RuntimeError: broken"),
        (awaited, "not today"),
    ],
    ids=["false", "text", "block", "zero", "mapping", "raises", "awaited"],
)
@pytest.mark.parametrize("option", ["check_input", "check_output"])
def test_whatever_a_check_says_but_none_and_true_refuses(auto, run, option, check, reason):
    result = run(added(auto, **{option: check}), "transfer", amount=1)
    assert (result.status, result.attempts) == ("blocked", 0 if option == "check_input" else 1)
    assert reason in result.error
    assert result.value is None


@pytest.mark.parametrize("option", ["check_input", "check_output"])
def test_none_and_true_pass_and_all_of_several_must(auto, run, option):
    deck = added(auto, **{option: [lambda about: None, lambda about: True]})
    assert run(deck, "transfer", amount=1).value == "1 to ada"
    deck = added(auto, **{option: (lambda about: None, lambda about: "no")})
    assert run(deck, "transfer", amount=1).status == "blocked"


def test_a_check_sees_the_arguments_with_their_defaults_after_the_check_of_types(auto, run):
    seen = []
    deck = added(auto, check_input=seen.append)
    assert run(deck, "transfer", amount="x").status == "invalid"
    assert seen == []
    run(deck, "transfer", amount=3)
    assert seen == [{"amount": 3, "to": "ada"}]


def test_a_check_cannot_change_the_arguments_by_the_way(auto, run):
    def meddle(arguments):
        arguments["amount"] = 1_000

    assert run(added(auto, check_input=meddle), "transfer", amount=1).value == "1 to ada"


def test_rewritten_arguments_are_checked_again_and_noted(auto, run):
    deck = added(auto, check_input=lambda given: Rewrite({**given, "amount": min(given["amount"], 10)}))
    result = run(deck, "transfer", amount=99)
    assert result.value == "10 to ada"
    assert "replaced the arguments" in str(result.notes[0])
    deck = added(auto, check_input=lambda given: Rewrite({"amount": "lots"}))
    assert run(deck, "transfer", amount=1).status == "invalid"
    deck = added(auto, check_input=lambda given: Rewrite(5))
    assert run(deck, "transfer", amount=1).status == "blocked"


def test_a_rewritten_value_is_what_everybody_gets(auto, run):
    deck = added(auto, check_output=[lambda value: Rewrite(value.upper()), lambda value: value == "1 TO ADA"])
    result = run(deck, "transfer", amount=1)
    assert (result.value, result.text) == ("1 TO ADA", "1 TO ADA")


def test_a_refused_value_is_in_no_part_of_the_result(auto, run):
    result = run(added(auto, check_output=lambda value: False), "transfer", amount=77)
    assert "77 to ada" not in f"{result.value}{result.text}{result.error}{result.notes}"


def test_failures_are_not_shown_to_checks_of_the_output(auto, run):
    deck, _ = auto
    seen = []

    @deck.tool(effects="none", check_output=seen.append)
    def fail() -> None:
        raise ValueError

    assert run(deck, "fail").status == "failed"
    assert seen == []


def test_nobody_is_asked_for_arguments_that_a_check_refuses(run):
    deck, host = fake_deck([True])
    deck.add(transfer, effects="write", check_input=lambda given: given["amount"] < 10)
    assert run(deck, "transfer", amount=50).status == "blocked"
    assert host.requests == []
    assert run(deck, "transfer", amount=5).ok


def test_a_person_sees_what_a_check_made_of_the_arguments(run):
    deck, host = fake_deck([True])
    deck.add(transfer, effects="write", check_input=lambda given: Rewrite({**given, "amount": 1}))
    assert run(deck, "transfer", amount=50).value == "1 to ada"
    assert host.requests[0].call.arguments["amount"] == 1


def test_edited_arguments_pass_the_checks_as_well(run):
    edits = [Decision(True, {"amount": 50}), Decision(True, {"amount": 5})]
    deck, _ = fake_deck(edits)
    deck.add(transfer, effects="write", check_input=lambda given: given["amount"] < 10)
    assert run(deck, "transfer", amount=1).status == "blocked"
    assert run(deck, "transfer", amount=1).value == "5 to ada"


def test_arguments_that_a_person_edited_are_not_rewritten_behind_their_back(run):
    deck, _ = fake_deck([Decision(True, {"amount": 50})])
    deck.add(
        transfer, effects="write", check_input=lambda g: Rewrite({"amount": 9}) if g["amount"] > 9 else None
    )
    result = run(deck, "transfer", amount=1)
    assert result.status == "blocked"
    assert "edited in the approval" in result.error


def test_refusals_of_checks_do_not_speak_against_the_tool(auto, run):
    deck = added(auto, check_input=lambda given: given["amount"] < 10, breaker=1)
    assert [run(deck, "transfer", amount=n).status for n in (50, 50, 1)] == ["blocked", "blocked", "ok"]


@pytest.mark.parametrize("wrong", [5, "check", [], [1], {}])
@pytest.mark.parametrize("option", ["check_input", "check_output"])
def test_a_check_must_be_a_function_or_several(auto, option, wrong):
    with pytest.raises(DefinitionError, match=f"The option {option} must be a function or a list of them"):
        added(auto, **{option: wrong})

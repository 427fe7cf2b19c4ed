"""Arguments, values, errors and answers of strangers: the call ends as a result, whatever they do."""

from __future__ import annotations

import math
import threading
from typing import Any

import pytest

from tooldeck import Block, Decision, Deck, Injected, Rewrite, Scope, Status, Text, TransientError
from tooldeck.core.events import BreakerMoved, CallEnded, CallStarted
from tooldeck.testing import fake_deck


def refuse(*_args: Any, **_kwargs: Any) -> Any:
    raise RuntimeError("do not look")


class Proxy:
    """Like a lazy proxy that has nothing behind it yet."""

    __class__ = property(refuse)  # type: ignore[assignment]
    __repr__ = __str__ = __eq__ = __bool__ = __len__ = __iter__ = __hash__ = refuse  # type: ignore[assignment]


class Mute(Exception):
    __str__ = __repr__ = refuse  # type: ignore[assignment]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["self"] = value
    return value


ODD = {
    "a proxy": Proxy(),
    "a huge number": 10**5000,
    "deep nesting": nested(50_000),
    "a cycle": cyclic(),
    "a lone surrogate": "\ud800",
    "no number": math.nan,
    "bytes": b"\xff\x00",
    "a set": {1, 2},
    "a class": int,
}


def give(x: Any = None) -> Any:
    return x


@pytest.mark.parametrize("kind", ODD)
def test_a_tool_may_return_anything(kind, run, auto):
    value = ODD[kind]
    deck, _ = auto
    result = run(deck, deck.add(lambda: value, name="give"))
    assert result.status is Status.OK
    assert result.value is value
    result.text.encode()
    assert repr(result)


@pytest.mark.parametrize("kind", ODD)
def test_an_argument_may_be_anything(kind, run, auto):
    value = ODD[kind]
    deck, _ = auto
    result = run(deck, deck.add(give), {"x": value})
    assert result.status in {Status.OK, Status.INVALID, Status.FAILED}
    assert repr(result.call)
    assert deck.history() == [result]


class BrokenMapping(dict[str, Any]):
    __iter__ = keys = items = refuse  # type: ignore[assignment]


NO_ARGUMENTS = {
    "a proxy": Proxy(),
    "a broken mapping": BrokenMapping(x=1),
    "a list": [1],
    "a number": 5,
    "a class for a key": {int: 1},
    "a number for a key": {1: 2},
}


@pytest.mark.parametrize("kind", NO_ARGUMENTS)
def test_arguments_that_cannot_be_read_are_refused(kind, run, auto):
    given = NO_ARGUMENTS[kind]
    deck, _ = auto
    assert run(deck, deck.add(give), given).status is Status.INVALID


ERRORS = {
    "mute": Mute(),
    "an absurd wait": TransientError("later", retry_after=10**400),
    "out of memory": MemoryError(),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_a_tool_may_raise_anything(kind, run, auto):
    deck, _ = auto
    error = ERRORS[kind]

    def fail() -> None:
        raise error

    result = run(deck, deck.add(fail))
    assert result.status is Status.FAILED
    assert result.exception is error


ANSWERS: dict[str, Any] = {
    "a proxy": Proxy(),
    "a block for no reason": Block(Proxy()),  # type: ignore[arg-type]
    "no arguments": Rewrite(Proxy()),
    "zero": 0,
    "a refusal in other words": {"allow": False},
    "an exception": Mute(),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_a_hook_or_approver_with_an_odd_answer_stops_the_call(kind, run):
    answer = ANSWERS[kind]

    def hook(_about: Any) -> Any:
        if type(answer) is Mute:
            raise answer
        return answer

    ran: list[int] = []
    blocked, _ = fake_deck(policy="auto")
    blocked.add(lambda: ran.append(1), name="act")
    blocked.before_tool(hook)
    assert run(blocked, "act").status in {Status.BLOCKED, Status.FAILED}
    denied, _ = fake_deck(policy="ask_everything", approver=hook)
    denied.add(lambda: ran.append(1), name="act")
    assert run(denied, "act").status is Status.DENIED
    assert ran == []


def test_asking_for_an_approval_uses_no_argument_up(run):
    deck, _ = fake_deck([True])
    deck.add(lambda x: list(x), name="drain")
    assert run(deck, "drain", {"x": iter([1, 2, 3])}).value == [1, 2, 3]


def test_an_approval_of_text_does_not_cover_bytes_that_look_like_it(run):
    deck, host = fake_deck([Decision(True, scope=Scope.EXACT)])
    deck.add(give)
    assert run(deck, "give", {"x": "YQ=="}).ok
    assert run(deck, "give", {"x": "YQ=="}).ok
    assert run(deck, "give", {"x": b"a"}).status is Status.DENIED
    assert len(host.requests) == 2


def test_a_deny_rule_that_comes_while_the_question_is_open_counts(run):
    ran: list[int] = []

    def approver(_request: Any) -> Decision:
        deck.policy.deny("act")
        return Decision(True)

    deck, _ = fake_deck(approver=approver)
    deck.add(lambda: ran.append(1), name="act")
    assert run(deck, "act").status is Status.DENIED
    assert ran == []


def test_grants_are_bounded_and_the_forgotten_ones_ask_again():
    deck, _ = fake_deck(approver=lambda _request: Decision(True, scope=Scope.EXACT))
    deck.add(give)
    for number in range(1_100):
        deck.call("give", x=number)
    assert len(deck.policy.grants) == 1_000


def interrupting(kind: type) -> Any:
    def observer(event: Any) -> None:
        if isinstance(event, kind):
            raise KeyboardInterrupt

    return observer


def test_an_interrupt_in_an_observer_leaves_no_call_without_an_end(auto, events):
    deck, _ = auto
    deck.add(give)
    seen = events(deck)
    deck.subscribe(interrupting(CallStarted))
    with pytest.raises(KeyboardInterrupt):
        deck.call("give")
    assert [type(event) for event in seen] == [CallStarted, CallEnded]
    assert deck.history()[-1].status is Status.CANCELLED


def test_an_interrupt_as_the_probe_begins_leaves_the_breaker_usable(auto):
    deck, host = auto
    broken = [True]

    def shaky() -> int:
        if broken:
            raise ValueError("down")
        return 1

    deck.add(shaky, breaker=1)
    deck.call("shaky")
    broken.clear()
    host.clock.advance(31)
    undo = deck.subscribe(interrupting(BreakerMoved))
    with pytest.raises(KeyboardInterrupt):
        deck.call("shaky")
    undo()
    assert deck.call("shaky").ok


def test_many_threads_may_call_loose_functions():
    deck = Deck(policy="auto")
    ends: list[Any] = []

    def work() -> None:
        try:
            ends.extend(deck.call(made(number)).value for number in range(150))
        except Exception as error:
            ends.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(ends) == sorted(list(range(150)) * 6)


def made(number: int) -> Any:
    def loose() -> int:
        return number

    return loose


@pytest.mark.parametrize("make", [list, dict], ids=["list", "dict"])
def test_a_value_that_holds_itself_many_times_is_told_in_no_time(run, auto, make):
    deck, _ = auto
    knot = make()
    for number in range(3):
        knot.append(knot) if make is list else knot.update({str(number): knot})
    deck.add(lambda: knot, name="tie")
    result = run(deck, "tie")
    assert result.value is knot
    assert "..." in result.text


def test_a_tool_may_return_what_it_knows_of_its_call(run, auto):
    deck, _ = auto

    def f(x: int, context: Injected):
        return [context, context.call]

    deck.add(f)
    assert "f(x=1)" in run(deck, "f", x=1).text


def test_an_exception_with_properties_that_raise_is_the_failure_itself_and_counts(run, auto):
    deck, _ = auto

    class NoResponse(Exception):
        @property
        def response(self):
            raise RuntimeError("there is none yet")

    def fetch() -> str:
        raise NoResponse("gone")

    deck.add(fetch, effects="read", retry=2)
    result = run(deck, "fetch")
    assert type(result.exception) is NoResponse
    assert result.error == "NoResponse: gone"
    assert deck.breaker("fetch").state.failures == 1


def test_a_text_part_must_be_text():
    with pytest.raises(TypeError, match="Text: text must be text"):
        Text(5)

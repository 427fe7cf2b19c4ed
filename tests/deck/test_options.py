"""Every option of a tool, and what it changes in a call from end to end."""

from __future__ import annotations

import threading

import pytest

from tooldeck import RateSettings
from tooldeck.core.options import OPTION_NAMES
from tooldeck.hosts.prompt import question
from tooldeck.testing import fake_deck


def body(x: int = 0):
    """Say something."""
    raise ConnectionError("z" * 200)


def statuses(run, times, answers=(), **option):
    deck, host = fake_deck(answers, policy=option.pop("policy", "auto"))
    deck.add(body, **option)
    results = [run(deck, option.get("name", "body"), x=1) for _ in range(times)]
    return deck, host, results


def without_and_with(**option):
    return {}, option


def name(run):
    return [
        run(deck, "other", x=1).status for deck in (statuses(run, 0)[0], statuses(run, 0, name="other")[0])
    ]


def description(run):
    return [
        statuses(run, 0, **given)[0].export("mcp")[0]["description"]
        for given in without_and_with(description="D")
    ]


def effects(run):
    return [
        len(statuses(run, 1, policy="default", **given)[1].requests)
        for given in without_and_with(effects="read")
    ]


def risk(run):
    shown = []
    for given in without_and_with(risk="low"):
        _, host, _ = statuses(run, 1, policy="default", **given)
        shown.append(next(word for word in ("risk high", "risk low") if word in question(host.requests[0])))
    return shown


def trust(run):
    return [
        statuses(run, 1, **given)[2][0].text.startswith("«outside")
        for given in without_and_with(trust="untrusted")
    ]


def idempotent(run):
    return [statuses(run, 1, **given)[2][0].attempts for given in without_and_with(idempotent=True)]


def ask(run):
    return [len(statuses(run, 1, **given)[1].requests) for given in without_and_with(ask=True)]


def timeout(run):
    found = []
    for given in without_and_with(timeout=1):
        deck, host = fake_deck(policy="auto")
        deck.add(lambda clock=host.clock: clock.advance(2), name="slow", **given)
        found.append(run(deck, "slow").status)
    return found


def call_timeout(run):
    found = []
    for given in without_and_with(call_timeout=1):
        deck, host = fake_deck(policy="auto")
        deck.add(lambda clock=host.clock: clock.advance(2), name="slow", **given)
        found.append(run(deck, "slow").status)
    return found


def target(run):
    found = []
    for given in without_and_with(target="x"):
        deck, _ = fake_deck(policy="auto")
        deck.add(body, breaker=1, **given)
        found.append([run(deck, "body", x=x).status for x in (1, 2)])
    return found


def max_chars(run):
    return [len(statuses(run, 1, **given)[2][0].text) <= 150 for given in without_and_with(max_chars=150)]


def retry(run):
    return [statuses(run, 1, effects="read", **given)[2][0].attempts for given in without_and_with(retry=5)]


def breaker(run):
    return [statuses(run, 2, **given)[2][1].status for given in without_and_with(breaker=1)]


def rate(run):
    return [
        statuses(run, 2, **given)[2][1].status for given in without_and_with(rate=RateSettings(1, wait=0))
    ]


def preview(run):
    shown = []
    for given in without_and_with(preview=lambda x: f"x becomes {x}"):
        _, host, _ = statuses(run, 1, policy="default", **given)
        shown.append(host.requests[0].preview)
    return shown


def preview_within(run):
    """How often somebody is asked about what cannot be foreseen."""
    asked = []
    for given in without_and_with(preview_within=5):
        _, host, _ = statuses(run, 1, policy="default", preview=lambda x: "", **given)
        asked.append(len(host.requests))
    return asked


def resources(run):
    """How many calls of a batch are inside at once."""
    found = []
    for given in without_and_with(resources="x"):
        deck, _ = fake_deck(policy="auto")
        pair = threading.Barrier(2)

        def meet(x: int, pair=pair, patience=0.2 if given else 20) -> bool:
            try:
                return pair.wait(patience) >= 0
            except threading.BrokenBarrierError:
                return False

        deck.add(lambda x: meet(x), name="meet", effects="read", **given)
        found.append([result.value for result in run.many(deck, [("meet", {"x": 1})] * 2)])
    return found


def available(run):
    return [statuses(run, 1, **given)[2][0].status for given in without_and_with(available=lambda: False)]


def schema_override(run):
    override = {"schema_override": lambda schema: {**schema, "title": "T"}}
    return [
        statuses(run, 0, **given)[0].export("mcp")[0]["inputSchema"].get("title") for given in ({}, override)
    ]


def check_input(run):
    return [statuses(run, 1, **given)[2][0].status for given in without_and_with(check_input=lambda _: False)]


def check_output(run):
    found = []
    for given in without_and_with(check_output=lambda value: value < 9):
        deck, _ = fake_deck(policy="auto")
        deck.add(lambda: 10, name="ten", effects="none", **given)
        found.append(run(deck, "ten").status)
    return found


def ignore_unknown(run):
    found = []
    for given in without_and_with(ignore_unknown=True):
        deck, _ = fake_deck(policy="auto")
        deck.add(lambda x: x, name="same", effects="none", **given)
        found.append(run(deck, "same", x=1, y=2).status)
    return found


EFFECTS = {
    name: ["unknown", "failed"],
    description: ["Say something.", "D"],
    effects: [1, 0],
    risk: ["risk high", "risk low"],
    trust: [False, True],
    idempotent: [1, 3],
    ignore_unknown: ["invalid", "ok"],
    ask: [0, 1],
    timeout: ["ok", "timeout"],
    call_timeout: ["ok", "timeout"],
    target: [["failed", "tripped"], ["failed", "failed"]],
    max_chars: [False, True],
    retry: [3, 5],
    breaker: ["failed", "tripped"],
    rate: ["failed", "limited"],
    preview: [None, "x becomes 1"],
    preview_within: [1, 0],
    resources: [[True, True], [False, False]],
    available: ["failed", "denied"],
    schema_override: [None, "T"],
    check_input: ["failed", "blocked"],
    check_output: ["ok", "blocked"],
}


@pytest.mark.parametrize("option", EFFECTS, ids=lambda option: option.__name__)
def test_an_option_changes_what_it_says(run, option):
    assert option(run) == EFFECTS[option]


def test_no_option_is_without_such_a_test():
    assert {option.__name__ for option in EFFECTS} == set(OPTION_NAMES)

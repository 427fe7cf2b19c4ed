"""Limits on how often a tool is called: who waits, who is refused, and who is not asked in vain."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from tooldeck import ActionTool, DefinitionError, RateSettings, Run, Status, calling
from tooldeck.core.define import define
from tooldeck.core.errors import CallLimited
from tooldeck.core.options import Options
from tooldeck.core.rate import Bucket, read_rate
from tooldeck.core.targets import SharedTarget
from tooldeck.core.tool import Origin
from tooldeck.testing import ManualClock, fake_deck


def add(deck, name="f", **options):
    ran = []

    def body(x: int = 0) -> int:
        ran.append(x)
        return x

    deck.add(body, name=name, effects="none", **options)
    return ran


def test_a_call_over_the_limit_waits_for_its_turn_and_the_trace_says_so(run):
    deck, host = fake_deck(trace=True)
    ran = add(deck, rate="2/s")
    results = [run(deck, "f", x=number) for number in range(4)]
    assert (ran, host.sleeps) == ([0, 1, 2, 3], pytest.approx([0.5, 0.5]))
    assert [result.status for result in results] == [Status.OK] * 4
    assert results[3].decisions["rate_limit"] == "waited 0.50 s for its turn, 2/s"
    assert "wait" in {span.name for span in results[3].trace}
    assert "rate_limit" not in (results[0].decisions or {})


def test_a_call_whose_turn_comes_too_late_is_refused_and_told_when_again(run):
    deck, host = fake_deck()
    ran = add(deck, rate="1/h")
    assert run(deck, "f").ok
    late = run(deck, "f")
    assert (late.status, ran, host.sleeps) == (Status.LIMITED, [0], [])
    assert late.error == (
        "f was not called: it may be called once an hour and that is used up; try again in 60 min."
    )
    with pytest.raises(CallLimited):
        late.unwrap()
    host.clock.advance(3600)
    assert run(deck, "f").ok


@pytest.mark.parametrize("limit", [{"timeout": 2.0}, {"call_timeout": 2.0}], ids=str)
def test_nobody_waits_longer_for_a_turn_than_the_call_may_take(run, limit):
    deck, host = fake_deck()
    add(deck, rate="1/5s", **limit)
    assert [run(deck, "f").status for _ in range(2)] == [Status.OK, Status.LIMITED]
    host.clock.advance(3.5)
    assert run(deck, "f").ok
    assert host.sleeps == [1.5]


def test_nobody_is_asked_for_a_call_whose_turn_comes_too_late(run):
    deck, host = fake_deck([True, True])
    deck.add(lambda: 1, name="f", description="One.", effects="write", rate=RateSettings(1, 60, wait=0))
    assert run(deck, "f").ok
    assert run(deck, "f").status is Status.LIMITED
    assert len(host.requests) == 1


def test_every_attempt_takes_a_turn(run):
    deck, host = fake_deck()
    tries = []

    def f() -> int:
        tries.append(host.now())
        raise ConnectionError("down")

    deck.add(f, effects="read", rate="1/10s")
    assert run(deck, "f").status is Status.FAILED
    assert tries == pytest.approx([0.0, 10.0, 20.0])


def test_a_refused_call_does_not_count_against_the_tool(run):
    deck, _ = fake_deck()
    add(deck, rate=RateSettings(1, 60, wait=0), breaker=1)
    assert [run(deck, "f").status for _ in range(3)] == [Status.OK, Status.LIMITED, Status.LIMITED]
    assert deck.breaker("f").quiet


def test_a_run_that_is_stopped_gives_its_turn_back(run):
    deck, _ = fake_deck()
    ran = add(deck, rate="1/5s")
    assert run(deck, "f").ok
    asking = Run()

    async def sleep(seconds, woken) -> None:
        asking.stop("enough")

    deck._host.sleep, deck._async_host.sleep = sleep, sleep
    with calling(run=asking):
        ended = run(deck, "f")
    assert (ended.status, ran) == (Status.CANCELLED, [0])
    assert deck._rates.of(deck["f"])[0][0].wait() == pytest.approx(5.0)


def test_each_action_has_its_own_limit(run):
    deck, _ = fake_deck()
    lamp = ActionTool("lamp", "A lamp.", effects="none", rate=RateSettings(1, 60, wait=0))
    lamp.action(lambda: 1, name="on", description="On.")
    lamp.action(lambda: 2, name="off", description="Off.", rate=None)
    deck.add(lamp)
    assert [run(deck, "lamp", action="on").status for _ in range(2)] == [Status.OK, Status.LIMITED]
    assert [run(deck, "lamp", action="off").status for _ in range(2)] == [Status.OK, Status.OK]


def test_a_tool_that_is_defined_again_starts_with_a_full_bucket(run):
    deck, _ = fake_deck()
    for _ in range(3):
        add(deck, rate=RateSettings(1, 60, wait=0))
        assert run(deck, "f").ok
    assert len(deck._rates._tools) == 1


def test_tools_of_one_server_share_its_limit_and_keep_their_own(run):
    deck, _ = fake_deck()
    shared = SharedTarget("docs", (), RateSettings(2, 60, wait=0))
    made = define(
        lambda: 1, Options(name="a", description="One.", effects="none"), origin=Origin("mcp", "docs")
    )
    a = deck.add(replace(made, shared=shared))
    b = deck.add(replace(made, name="b", shared=shared, rate=RateSettings(1, 60, wait=0)))
    assert run(deck, b).ok
    own = run(deck, b)
    assert "it may be called once a minute" in own.error
    assert run(deck, a).ok  # the call that b's own limit refused took nothing from the server's
    theirs = run(deck, a)
    assert theirs.status is Status.LIMITED
    assert theirs.error == (
        "a was not called: its server 'docs' may be called twice a minute and that is used up; "
        "try again in 30 s."
    )


def test_threads_together_never_pass_the_limit():
    clock = ManualClock()
    bucket = Bucket(RateSettings(50, 1.0), lambda: clock.seconds)
    taken: list[bool] = []

    def many() -> None:
        taken.extend(bucket.take(0.0)[0] for _ in range(100))

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sum(taken) == 50


def test_a_burst_of_one_spaces_the_calls_evenly():
    clock = ManualClock()
    bucket = Bucket(RateSettings(10, 1.0, burst=1), lambda: clock.seconds)
    assert [bucket.take(1.0) for _ in range(3)] == [(True, 0.0), (True, 0.1), (True, 0.2)]
    bucket.give_back()
    assert bucket.wait() == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("text", "calls", "seconds", "shown"),
    [
        ("10/s", 10, 1, "10/s"),
        ("100 / min", 100, 60, "100/min"),
        ("1/5s", 1, 5, "1/5s"),
        ("3/0.5 sec", 3, 0.5, "3/0.5s"),
        ("5/Hour", 5, 3600, "5/h"),
        ("1000/day", 1000, 86400, "1000/day"),
    ],
)
def test_limits_are_read_as_people_write_them(text, calls, seconds, shown):
    read = read_rate("rate", text)
    assert (read.calls, read.seconds, str(read)) == (calls, seconds, shown)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "10",
        "0/s",
        "-1/s",
        "1/0s",
        "1/fortnight",
        "1.5/s",
        "１/s",
        "10/s\n; x",
        10,
        True,
        ["1/s"],
        "1/s/s",
    ],
    ids=repr,
)
def test_what_is_no_limit_is_refused_where_it_is_given(given):
    deck, _ = fake_deck()
    with pytest.raises(DefinitionError, match="The option rate must be a number of calls and a time"):
        add(deck, rate=given)


@pytest.mark.parametrize(
    "given",
    [
        {"calls": 0},
        {"calls": True},
        {"calls": 10**30},
        {"calls": 1, "seconds": 1e300},
        {"calls": 1, "seconds": 0},
        {"calls": 1, "burst": 0},
        {"calls": 1, "wait": -1},
    ],
    ids=str,
)
def test_settings_that_cannot_be_meant_are_refused(given):
    with pytest.raises(DefinitionError, match=r"^rate "):
        RateSettings(**given)

"""Breakers of targets: one bad host does not close a tool for the others."""

from __future__ import annotations

import threading

import pytest

from tooldeck import BaseTool, BreakerSettings, DefinitionError
from tooldeck.core.breaker import Phase
from tooldeck.core.circuits import MOST_TARGETS
from tooldeck.core.events import BreakerMoved
from tooldeck.testing import fake_deck


def fetch(url: str = "http://default.example/", *, times: int = 1) -> str:
    """Fetch a page."""
    if "bad" in url:
        raise ConnectionError(url)
    return url


def region_of(arguments):
    return arguments["url"].partition("/")[0]


def bad(run, deck, times, name="fetch"):
    return [run(deck, name, url="http://bad.example/").status for _ in range(times)]


def test_one_bad_host_leaves_the_tool_open_for_others(run, auto):
    deck, _ = auto
    deck.add(fetch, target="url", breaker=5)
    assert bad(run, deck, 6) == ["failed"] * 5 + ["tripped"]
    assert run(deck, "fetch", url="http://good.example/").ok
    assert run(deck, "fetch", url="http://BAD.example:80/other").status == "tripped"
    assert deck.breaker("fetch").state.failures == 0
    assert deck.breaker("fetch", "bad.example").state.phase is Phase.OPEN


def test_an_open_target_says_which_and_for_how_long_and_asks_nobody(run, events):
    deck, host = fake_deck([True])
    deck.add(fetch, target="url", breaker=1, effects="network")
    seen = events(deck)
    bad(run, deck, 1)
    result = run(deck, "fetch", url="http://bad.example/")
    assert "fetch failed for 'bad.example' 1 times in a row" in result.error
    assert "one probe may run in 30 s" in result.error
    assert len(host.requests) == 1
    moved = [(event.target, event.state.phase) for event in seen if isinstance(event, BreakerMoved)]
    assert moved == [("bad.example", Phase.OPEN)]
    host.clock.advance(30)
    deck.policy = "auto"
    bad(run, deck, 1)
    assert deck.breaker("fetch", "bad.example").seconds_left() == 30


def test_a_target_may_be_read_by_a_function_of_the_arguments(run, auto):
    deck, _ = auto
    deck.add(fetch, target=region_of, breaker=1)
    assert run(deck, "fetch", url="bad-eu/1").status == "failed"
    assert run(deck, "fetch", url="bad-eu/2").status == "tripped"
    assert run(deck, "fetch", url="bad-us/2").status == "failed"
    assert list(deck.breaker_targets("fetch")) == ["bad-eu", "bad-us"]


def test_a_class_may_read_its_own_target(run, auto):
    deck, _ = auto

    class Fetch(BaseTool):
        """Fetch."""

        breaker = 1

        def target(self, arguments):
            return arguments["place"]

        def run(self, place: str) -> str:
            raise OSError(place)

    deck.add(Fetch())
    assert [run(deck, "fetch", place=place).status for place in "aab"] == ["failed", "tripped", "failed"]


def test_a_default_is_a_target_as_well_and_none_is_the_tool_itself(run, auto):
    deck, _ = auto

    def f(place: str | None = "home"):
        raise OSError

    deck.add(f, target="place", breaker=2)
    run(deck, "f")
    run(deck, "f", place=None)
    assert list(deck.breaker_targets("f")) == ["home"]
    assert deck.breaker("f").state.failures == 1


def test_a_function_that_fails_to_read_the_target_is_noted_and_the_tool_itself_is_watched(run, auto):
    deck, _ = auto
    deck.add(fetch, target=lambda arguments: arguments["nothing"], breaker=1)
    result = run(deck, "fetch", url="http://bad.example/")
    assert [str(note) for note in result.notes] == [
        "the target of the call could not be read: KeyError: 'nothing'"
    ]
    assert deck.breaker("fetch").state.phase is Phase.OPEN


@pytest.mark.parametrize(
    ("given", "words"), [("urll", "did you mean 'url'"), ("x", "it has: url, times"), (5, "")]
)
def test_a_target_that_cannot_be_is_refused_where_it_is_given(auto, given, words):
    deck, _ = auto
    with pytest.raises(DefinitionError, match=f"target.*{words}"):
        deck.add(fetch, target=given)


def test_a_record_names_parameters_of_its_schema(run, auto):
    deck, _ = auto
    schema = {"type": "object", "properties": {"host": {"type": "string"}}}

    def f(**arguments):
        raise OSError

    deck.add({"name": "f", "parameters": schema, "function": f, "target": "host", "breaker": 1})
    assert [run(deck, "f", host=host).status for host in "aab"] == ["failed", "tripped", "failed"]
    with pytest.raises(DefinitionError, match="it has: host"):
        deck.add({"name": "g", "parameters": schema, "function": f, "target": "url"})


def test_thousands_of_targets_keep_a_bounded_number_and_the_failing_ones(run, auto):
    deck, _ = auto
    deck.add(fetch, target="url", breaker=1)
    bad(run, deck, 1)
    run.each(deck, "fetch", [{"url": f"http://host{number}/"} for number in range(1000)])
    assert len(deck.breaker_targets("fetch")) == MOST_TARGETS
    assert bad(run, deck, 1) == ["tripped"]


def test_thousands_of_failing_targets_keep_those_used_last(run, auto):
    deck, _ = auto
    deck.add(fetch, target="url", breaker=1)
    run.each(deck, "fetch", [{"url": f"http://bad{number}/"} for number in range(MOST_TARGETS + 5)])
    known = deck.breaker_targets("fetch")
    assert len(known) == MOST_TARGETS
    assert "bad0" not in known
    assert f"bad{MOST_TARGETS + 4}" in known


def test_a_redefined_tool_forgets_its_targets(run, auto):
    deck, _ = auto
    deck.add(fetch, target="url", breaker=1)
    bad(run, deck, 1)
    deck.add(fetch, target="url", breaker=1)
    assert bad(run, deck, 1) == ["failed"]


def test_asking_for_a_target_that_was_never_called_is_a_clear_error(run, auto):
    deck, _ = auto
    deck.add(fetch, target="url")
    with pytest.raises(DefinitionError, match="has called no target yet"):
        deck.breaker("fetch", "bad.example")
    bad(run, deck, 1)
    with pytest.raises(DefinitionError, match=r"did you mean 'bad\.example'"):
        deck.breaker("fetch", "bad.exampel")
    deck.breaker("fetch", "bad.example").reset()
    assert deck.breaker("fetch", "bad.example").quiet


def test_a_share_of_failures_opens_a_tool_and_says_so(run, auto):
    deck, _ = auto
    outcomes = iter([True, False] * 20)

    def f():
        if not next(outcomes):
            raise OSError("no")

    deck.add(f, breaker=BreakerSettings(threshold=0, rate=0.5, window=10, minimum=4))
    statuses = [run(deck, "f").status for _ in range(6)]
    assert statuses == ["ok", "failed", "ok", "failed", "tripped", "tripped"]
    assert "f failed in 2 of the last 4 calls (last: OSError: no)" in run(deck, "f").error


def test_a_thousand_successes_before_a_failure_keep_it_closed(run, auto):
    deck, _ = auto
    failing = {0, 1, 2, 3, 1004}

    def f(n: int) -> int:
        if n in failing:
            raise OSError
        return n

    deck.add(f, breaker=BreakerSettings(rate=0.5))
    results = run.each(deck, "f", [{"n": n} for n in range(1006)])
    assert results[-1].ok
    assert deck.breaker("f").state.phase is Phase.CLOSED


def test_exceptions_that_are_declared_never_count(run, auto):
    deck, _ = auto

    def f(kind: str):
        raise {"lookup": KeyError, "other": OSError}[kind]

    deck.add(f, breaker=BreakerSettings(threshold=1, ignore=LookupError))
    assert {run(deck, "f", kind="lookup").status for _ in range(5)} == {"failed"}
    assert [run(deck, "f", kind="other").status for _ in range(2)] == ["failed", "tripped"]


def test_threads_that_meet_at_a_new_target_share_its_breaker(auto):
    deck, _ = auto
    made = deck.add(fetch, target="url")
    together, found = threading.Barrier(8), []

    def look():
        together.wait(10)
        found.append(deck._circuits.of(made, "x"))

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(set(map(id, found))) == 1

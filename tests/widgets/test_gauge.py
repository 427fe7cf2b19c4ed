"""The breaker gauge on the kernel's side."""

from __future__ import annotations

import threading
from collections.abc import Callable

from widget_parts import NASTY, Clock, Page

from tooldeck.core.breaker import BreakerState, Phase
from tooldeck.core.settings import BreakerSettings
from tooldeck.notebook.widgets import Gauge
from tooldeck.notebook.widgets._pace import Pace

OPEN = BreakerState(Phase.OPEN, 5, 0.0, "timeout")


class Later:
    """Timers that fire by hand."""

    def __init__(self) -> None:
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, seconds: float, action: Callable[[], None]) -> None:
        self.waiting.append((seconds, action))

    def fire(self) -> None:
        due, self.waiting = self.waiting, []
        for _, action in due:
            action()


def test_the_line_tells_state_time_failures_and_the_last_error(clock: Clock) -> None:
    gauge = Gauge("fetch_page", BreakerSettings(threshold=5), clock=clock)
    assert repr(gauge) == "fetch_page: closed, 0 of 5 failures"
    gauge.update(OPEN, ["failed"] * 5, 30.0)
    clock.now += 7
    assert repr(gauge) == "fetch_page: open, probe in 23 s, 5 of 5 failures, last: timeout"
    clock.now += 60
    assert repr(gauge) == "fetch_page: open, next call is the probe, 5 of 5 failures, last: timeout"
    gauge.update(BreakerState(Phase.HALF_OPEN, 5, 0.0, "timeout"))
    assert repr(gauge) == "fetch_page: half-open, one probe is running, 5 of 5 failures, last: timeout"


def test_a_breaker_that_is_off_says_so(clock: Clock) -> None:
    gauge = Gauge("fetch_page", BreakerSettings(threshold=0), clock=clock)
    assert repr(gauge) == "fetch_page: breaker off"
    assert gauge.reading["phase"] == "off"


def test_targets_that_have_failed_are_told_the_worst_first_and_not_too_many(clock: Clock) -> None:
    gauge = Gauge("fetch_page", BreakerSettings(threshold=5), clock=clock)
    troubled = {f"host{number}": BreakerState(failures=1) for number in range(9)} | {"bad": OPEN}
    gauge.update(BreakerState(), ["ok"], 0.0, troubled)
    told = repr(gauge)
    assert told.startswith("fetch_page: closed, 0 of 5 failures; bad: open, 5 of 5; host0: closed, 1 of 5")
    assert told.endswith("and 5 more targets")
    assert len(gauge.reading["targets"]) == 6
    gauge.update(BreakerState())
    assert repr(gauge) == "fetch_page: closed, 0 of 5 failures"


def test_a_target_that_opens_shows_at_once(clock: Clock) -> None:
    later = Later()
    gauge = Gauge("fetch_page", clock=clock, pace=Pace(0.05, clock=clock, later=later))
    gauge.update(BreakerState(failures=1))
    gauge.update(BreakerState(failures=1), [], 0.0, {"bad": OPEN})
    assert len(gauge.reading["targets"]) == 1


def test_the_rule_that_is_nearer_to_opening_is_the_one_that_is_shown(clock: Clock) -> None:
    settings = BreakerSettings(threshold=0, rate=0.5, window=20, minimum=10)
    gauge = Gauge("fetch_page", settings, clock=clock)
    gauge.update(BreakerState(failures=1, window=(True, False, True)))
    assert repr(gauge) == "fetch_page: closed, 2 of 5 failures"
    assert gauge.reading["phase"] == "closed"
    both = Gauge("f", BreakerSettings(threshold=2, rate=0.5), clock=clock)
    both.update(BreakerState(failures=1, window=(True,)))
    assert repr(both) == "f: closed, 1 of 2 failures"


def test_the_page_is_given_the_last_thirty_outcomes(clock: Clock) -> None:
    gauge = Gauge("fetch_page", clock=clock)
    gauge.update(OPEN, ["ok"] * 40 + ["failed", "refused"], 1.0)
    assert gauge.reading["recent"] == ["ok"] * 28 + ["failed", "refused"]
    assert gauge.reading["counted"] == "last 30: 28 ok, 1 failed, 1 refused"


def test_a_view_that_opens_later_is_told_the_seconds_left_now(clock: Clock) -> None:
    gauge = Gauge("fetch_page", clock=clock)
    page = Page(gauge)
    gauge.update(OPEN, [], 30.0)
    clock.now += 10
    page.say(type="ready")
    assert page.last("hello") == {"type": "hello", "left": 20.0}


def test_a_burst_of_updates_is_held_to_a_pace_and_its_last_one_shows(clock: Clock) -> None:
    later = Later()
    gauge = Gauge("fetch_page", clock=clock, pace=Pace(0.05, clock=clock, later=later))
    readings: list[int] = []
    gauge.observe(lambda change: readings.append(change["new"]["failures"]), "reading")
    for failures in range(1, 101):
        gauge.update(BreakerState(failures=failures))
    assert readings == [1]
    assert len(later.waiting) == 1
    later.fire()
    assert readings == [1, 100]


def test_a_change_of_state_shows_at_once(clock: Clock) -> None:
    later = Later()
    gauge = Gauge("fetch_page", clock=clock, pace=Pace(0.05, clock=clock, later=later))
    gauge.update(BreakerState(failures=4))
    gauge.update(OPEN, [], 5.0)
    assert gauge.reading["phase"] == "open"
    later.fire()
    assert gauge.reading["phase"] == "open"


def test_updates_from_many_threads_end_with_a_reading_of_one_of_them(clock: Clock) -> None:
    later = Later()
    gauge = Gauge("fetch_page", clock=clock, pace=Pace(0.05, clock=clock, later=later))
    threads = [
        threading.Thread(target=lambda n=n: gauge.update(BreakerState(failures=n), ["failed"] * n))
        for n in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    later.fire()
    assert gauge.reading["failures"] == len(gauge.reading["recent"]) > 0


def test_text_from_outside_stays_text(clock: Clock) -> None:
    gauge = Gauge(NASTY, clock=clock)
    gauge.update(BreakerState(Phase.OPEN, 5, 0.0, NASTY), ["failed"], 3.0)
    bundle, _ = gauge._repr_mimebundle_()
    assert "<script" not in bundle["text/html"]
    assert "<img" not in bundle["text/html"]
    assert "\u202e" not in bundle["text/plain"]

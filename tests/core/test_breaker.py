"""The breaker: failures in a row or their share open it; after the cool-down exactly one probe may run."""

from __future__ import annotations

import threading
from typing import ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tooldeck import BreakerSettings, DefinitionError
from tooldeck.core.breaker import Admission, Breaker, Phase
from tooldeck.testing import ManualClock


def breaker(threshold=3, cooldown=10.0, **settings):
    clock = ManualClock()
    return Breaker(BreakerSettings(threshold, cooldown, **settings), lambda: clock.seconds), clock


def fail(found, count=1):
    for _ in range(count):
        admission = found.admit()
        assert admission is not Admission.REFUSED
        found.settle(ok=False, probe=admission is Admission.PROBE, error="down")


def succeed(found):
    admission = found.admit()
    found.settle(ok=True, probe=admission is Admission.PROBE)


def test_only_failures_in_a_row_open_it():
    found, _ = breaker()
    for _ in range(10):
        fail(found, 2)
        assert found.state.failures == 2
        succeed(found)
        assert found.state.failures == 0
        assert found.state.phase is Phase.CLOSED
    fail(found, 3)
    assert found.state.phase is Phase.OPEN


def test_while_open_it_refuses_and_counts_down():
    found, clock = breaker()
    fail(found, 3)
    clock.advance(4)
    assert found.admit() is Admission.REFUSED
    assert found.would_refuse()
    assert found.seconds_left() == 6.0


def test_after_the_cooldown_one_probe_runs_and_the_rest_are_refused():
    found, clock = breaker()
    fail(found, 3)
    clock.advance(10)
    assert not found.would_refuse()
    assert [found.admit() for _ in range(5)] == [Admission.PROBE, *[Admission.REFUSED] * 4]
    found.settle(ok=True, probe=True)
    assert [found.admit() for _ in range(3)] == [Admission.CALL] * 3


def test_a_failing_probe_opens_it_for_a_full_cooldown():
    found, clock = breaker()
    fail(found, 3)
    clock.advance(10)
    fail(found)
    assert found.state.phase is Phase.OPEN
    assert found.seconds_left() == 10.0


def test_a_probe_that_says_nothing_leaves_room_for_another():
    found, clock = breaker()
    fail(found, 3)
    clock.advance(10)
    assert found.admit() is Admission.PROBE
    found.settle(ok=None, probe=True)
    assert found.admit() is Admission.PROBE


def test_a_straggler_from_before_the_opening_does_not_close_it():
    found, _ = breaker()
    assert found.admit() is Admission.CALL
    fail(found, 3)
    found.settle(ok=True)
    assert found.state.phase is Phase.OPEN


def test_a_probe_that_fails_after_a_reset_by_hand_counts_as_one_failure():
    found, clock = breaker()
    fail(found, 3)
    clock.advance(10)
    assert found.admit() is Admission.PROBE
    found.reset()
    found.settle(ok=False, probe=True)
    assert found.state.phase is Phase.CLOSED
    assert found.state.failures == 1


def test_twenty_threads_at_once_get_one_probe():
    found, clock = breaker()
    fail(found, 3)
    clock.advance(10)
    gate = threading.Barrier(20)
    admissions = []

    def ask():
        gate.wait(10)
        admissions.append(found.admit())

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert admissions.count(Admission.PROBE) == 1
    assert admissions.count(Admission.REFUSED) == 19


def test_the_last_outcomes_are_kept_in_order():
    found, _ = breaker(threshold=2)
    succeed(found)
    fail(found, 2)
    found.admit()
    found.refuse()
    assert list(found.recent) == ["ok", "failed", "failed", "refused"]


def test_a_share_of_failures_opens_it_although_they_never_come_in_a_row():
    found, _ = breaker(rate=0.5, window=10, minimum=6)
    for _ in range(2):
        fail(found)
        succeed(found)
    assert found.state.phase is Phase.CLOSED
    fail(found)
    assert found.state.phase is Phase.CLOSED
    succeed(found)
    assert found.state.phase is Phase.CLOSED
    fail(found)
    assert found.state.phase is Phase.OPEN
    assert sum(found.state.window) == 4


def test_only_the_last_calls_count_for_the_share():
    found, _ = breaker(threshold=0, rate=0.5, window=4, minimum=4)
    fail(found)
    for _ in range(1000):
        succeed(found)
    assert len(found.state.window) == 4
    fail(found)
    assert found.state.phase is Phase.CLOSED
    fail(found)
    assert found.state.phase is Phase.OPEN


def test_after_a_good_probe_the_share_starts_afresh():
    found, clock = breaker(threshold=0, rate=1.0, window=2, minimum=2)
    fail(found, 2)
    clock.advance(10)
    succeed(found)
    fail(found)
    assert found.state.phase is Phase.CLOSED
    assert found.state.window == (True,)


def test_without_a_rate_no_outcomes_are_kept_in_the_state():
    found, _ = breaker()
    fail(found, 2)
    assert found.state.window == ()


def test_a_clock_that_is_set_back_holds_it_open_for_one_cooldown_at_most():
    found, clock = breaker()
    clock.advance(1_000_000)
    fail(found, 3)
    clock.seconds = 0.0
    assert found.seconds_left() == 10.0


def test_one_exception_type_is_as_good_as_several():
    assert BreakerSettings(ignore=OSError).ignored == (OSError,)
    assert BreakerSettings(ignore=(OSError, ValueError)).ignored == (OSError, ValueError)


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": -1},
        {"threshold": 1.5},
        {"threshold": True},
        {"cooldown": -1},
        {"rate": 0},
        {"rate": 1.1},
        {"rate": True},
        {"window": 0},
        {"minimum": 0},
        {"rate": 0.5, "window": 5, "minimum": 6},
        {"ignore": "OSError"},
        {"ignore": (OSError, 5)},
        {"ignore": OSError()},
    ],
    ids=repr,
)
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(DefinitionError, match="breaker"):
        BreakerSettings(**wrong)


class Naive:
    """The rules written down as plainly as they can be, for one caller at a time."""

    def __init__(self, threshold, cooldown, rate=None, window=1, minimum=1):
        self.threshold, self.cooldown = threshold, cooldown
        self.rate, self.window, self.minimum = rate, window, minimum
        self.row, self.ends, self.open_since, self.probing = 0, [], None, False

    def admits(self, now):
        if self.open_since is None:
            return "call"
        if not self.probing and now >= self.open_since + self.cooldown:
            self.probing = True
            return "probe"
        return "refused"

    def ended(self, ok, probe, now):
        if self.open_since is None:
            if ok is not None:
                self.row = 0 if ok else self.row + 1
                self.ends.append(ok)
                if not ok and (self.row_is_met() or self.rate_is_met()):
                    self.open_since = now
        elif probe and self.probing:
            self.probing = False
            if ok:
                self.row, self.ends, self.open_since = 0, [], None
            elif ok is False:
                self.open_since = now

    def row_is_met(self):
        return self.threshold and self.row >= self.threshold

    def rate_is_met(self):
        last = self.ends[-self.window :]
        return self.rate and len(last) >= self.minimum and last.count(False) / len(last) >= self.rate

    def reset(self):
        self.row, self.ends, self.open_since, self.probing = 0, [], None, False


class BreakerMachine(RuleBasedStateMachine):
    """Calls begin and end in any order beside a clock; the naive model must agree at every step."""

    given: ClassVar = {"threshold": 2, "cooldown": 5.0}

    def __init__(self):
        super().__init__()
        self.found, self.clock = breaker(**self.given)
        self.naive = Naive(**self.given)
        self.running = []

    @rule()
    def begin(self):
        expected = self.naive.admits(self.clock.seconds)
        admission = self.found.admit()
        assert admission == expected
        if admission is not Admission.REFUSED:
            self.running.append(admission is Admission.PROBE)

    @precondition(lambda self: self.running)
    @rule(data=st.data(), ok=st.sampled_from([True, False, None]))
    def end(self, data, ok):
        probe = self.running.pop(data.draw(st.integers(0, len(self.running) - 1)))
        self.naive.ended(ok, probe, self.clock.seconds)
        self.found.settle(ok=ok, probe=probe)

    @rule(seconds=st.floats(0, 8))
    def wait(self, seconds):
        self.clock.advance(seconds)

    @precondition(lambda self: not any(self.running))
    @rule()
    def reset(self):
        self.naive.reset()
        self.found.reset()

    @invariant()
    def never_two_probes(self):
        assert sum(self.running) <= 1

    @invariant()
    def looking_changes_nothing_and_tells_the_truth(self):
        before = self.found.state
        refuses = self.found.would_refuse()
        assert self.found.state is before
        closed = self.naive.open_since is None
        due = not closed and self.clock.seconds >= self.naive.open_since + 5.0
        assert refuses == (not closed and (self.naive.probing or not due))
        assert (before.phase is Phase.CLOSED) == closed


class RateMachine(BreakerMachine):
    """The same with the share of failures as the only rule."""

    given: ClassVar = {"threshold": 0, "cooldown": 5.0, "rate": 0.5, "window": 6, "minimum": 4}


class BothMachine(BreakerMachine):
    """The same with both rules."""

    given: ClassVar = {"threshold": 3, "cooldown": 5.0, "rate": 0.4, "window": 8, "minimum": 5}


_ENOUGH = settings(max_examples=50, stateful_step_count=40, deadline=None)
TestBreakerMachine = BreakerMachine.TestCase
TestBreakerMachine.settings = _ENOUGH
TestRateMachine = RateMachine.TestCase
TestRateMachine.settings = _ENOUGH
TestBothMachine = BothMachine.TestCase
TestBothMachine.settings = _ENOUGH

"""Deadlines: seconds that run, stand still while a person is asked, and end with what lies around them."""

from __future__ import annotations

import pytest

from tooldeck.core.deadline import Deadline, as_deadline
from tooldeck.testing import ManualClock


@pytest.fixture
def clock():
    return ManualClock()


def deadline(clock, seconds, within=None):
    return Deadline(lambda: clock.seconds, seconds, within)


def test_it_runs_out(clock):
    limit = deadline(clock, 5)
    clock.advance(3)
    assert limit.left() == limit.next_look() == 2
    clock.advance(3)
    assert limit.left() == -1
    assert limit.next_look() == 0


def test_it_stands_still_while_it_is_stopped_however_often(clock):
    limit = deadline(clock, 5)
    clock.advance(1)
    limit.stop()
    limit.stop()
    clock.advance(100)
    limit.go()
    clock.advance(100)
    assert limit.left() == 4
    limit.go()
    clock.advance(1)
    assert limit.left() == 3


def test_a_clock_that_stands_still_is_looked_at_again_and_not_too_often(clock):
    limit = deadline(clock, 0.001)
    limit.stop()
    assert limit.next_look() >= 0.01


def test_what_lies_around_it_ends_it_too_and_stops_with_it(clock):
    outer = deadline(clock, 5)
    inner = deadline(clock, 10, outer)
    assert inner.left() == 5
    assert inner.first is outer
    shorter = deadline(clock, 1, outer)
    assert shorter.first is shorter
    inner.stop()
    clock.advance(100)
    inner.go()
    assert outer.left() == 5


def test_seconds_become_a_deadline_and_none_stays_none(clock):
    limit = as_deadline(2, lambda: clock.seconds)
    assert limit.left() == 2
    assert as_deadline(limit, lambda: 0.0) is limit
    assert as_deadline(None, lambda: 0.0) is None

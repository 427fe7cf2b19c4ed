"""Interrupting work on a thread of its own, and what that work started elsewhere."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError

import pytest

from tooldeck.hosts.lanes import Lane, when_interrupted


def started(function):
    lane = Lane(function)
    lane.start()
    return lane


def test_what_is_interrupted_before_it_starts_never_runs():
    ran = []
    lane = Lane(lambda: ran.append(1))
    lane.interrupt()
    lane.start()
    with pytest.raises(CancelledError):
        lane.future.result(10)
    assert ran == []


def test_the_function_is_interrupted_as_soon_as_it_runs_python_code():
    began, ended = threading.Event(), threading.Event()

    def spin():
        began.set()
        try:
            while True:
                time.sleep(0.001)
        finally:
            ended.set()

    lane = started(spin)
    assert began.wait(10)
    lane.interrupt()
    with pytest.raises(KeyboardInterrupt):
        lane.future.result(10)
    assert ended.is_set()


def test_work_that_has_ended_is_left_alone():
    lane = started(lambda: 5)
    assert lane.future.result(10) == 5
    lane.interrupt()
    assert lane.future.result() == 5


def test_what_the_work_started_elsewhere_is_cancelled_even_when_it_says_so_too_late():
    cancelled, told, go = [], threading.Event(), threading.Event()

    def work():
        when_interrupted(lambda: cancelled.append("in time"))
        told.set()
        try:
            while True:
                time.sleep(0.001)
        finally:
            go.wait(10)
            when_interrupted(lambda: cancelled.append("late"))

    lane = started(work)
    assert told.wait(10)
    lane.interrupt()
    assert cancelled == ["in time"]
    go.set()
    with pytest.raises(KeyboardInterrupt):
        lane.future.result(10)
    assert cancelled == ["in time", "late"]


def test_outside_of_a_lane_nobody_listens():
    when_interrupted(lambda: pytest.fail("nobody was interrupted"))

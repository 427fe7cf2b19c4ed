"""The cancel token: set once, heard by everybody, at once and exactly once."""

from __future__ import annotations

import gc
import threading

import pytest

from tooldeck import CancelToken
from tooldeck.core.errors import Cancelled


def test_a_new_token_lets_everything_pass():
    token = CancelToken()
    token.raise_if_cancelled()
    assert not token.cancelled
    assert token.reason == ""
    assert not token.wait(0)


def test_a_token_that_is_set_stays_set_with_its_first_reason():
    token = CancelToken()
    token.cancel("the limit passed")
    token.cancel("something else")
    assert token.cancelled
    assert token.wait(0)
    with pytest.raises(Cancelled, match="the limit passed"):
        token.raise_if_cancelled()


def test_a_waiting_thread_wakes_up_when_the_token_is_set():
    token, woke = CancelToken(), []
    thread = threading.Thread(target=lambda: woke.append(token.wait(30)))
    thread.start()
    token.cancel()
    thread.join(10)
    assert woke == [True]


def test_hearers_are_told_once_and_late_ones_at_once():
    token, heard = CancelToken(), []
    token.on_cancel(lambda: heard.append("early"))
    token.on_cancel(lambda: heard.append("undone"))()
    token.cancel()
    token.cancel()
    token.on_cancel(lambda: heard.append("late"))
    assert heard == ["early", "late"]


def test_a_hearer_that_raises_disturbs_nobody(caplog):
    token, heard = CancelToken(), []
    token.on_cancel(lambda: 1 / 0)
    token.on_cancel(lambda: heard.append("second"))
    token.cancel()
    assert heard == ["second"]
    assert "on_cancel failed" in caplog.text


def test_a_token_that_follows_is_set_with_the_other_and_never_the_other_way():
    outer, inner, deeper = CancelToken(), CancelToken(), CancelToken()
    inner.follow(outer)
    deeper.follow(inner)
    deeper.cancel("only here")
    assert not inner.cancelled
    outer.cancel("all")
    assert (inner.reason, deeper.reason) == ("all", "only here")
    late = CancelToken()
    late.follow(outer)
    assert late.reason == "all"


def test_a_long_lived_token_keeps_none_of_its_followers():
    outer = CancelToken()
    for _ in range(1000):
        CancelToken().follow(outer)
    gc.collect()
    assert len(outer._followers) == 0

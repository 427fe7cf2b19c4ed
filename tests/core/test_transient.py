"""Which failures are worth another attempt, and how long the other side asked to wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import httpx
import pytest

from tooldeck import TransientError
from tooldeck.core.transient import is_transient, retry_after


class HttpError(Exception):
    """An exception as HTTP clients raise it."""

    def __init__(self, status=429, **headers):
        super().__init__(str(status))
        self.response = SimpleNamespace(
            status_code=status, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )


def coded(code):
    error = Exception("x")
    error.code = code
    return error


@pytest.mark.parametrize(
    "error",
    [
        TransientError(),
        ConnectionResetError(),
        TimeoutError(),
        HttpError(503),
        HttpError(429),
        httpx.ConnectError("x"),
        httpx.ReadTimeout("x"),
        coded(504),
    ],
    ids=repr,
)
def test_failures_of_the_connection_may_pass(error):
    assert is_transient(error)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no rate limit info"),
        RuntimeError("disconnected user not found"),
        KeyError("HTTP 503"),
        PermissionError(),
        FileNotFoundError(),
        HttpError(404),
        coded("429"),
        AssertionError(),
    ],
    ids=repr,
)
def test_words_in_a_message_mean_nothing(error):
    assert not is_transient(error)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2.0),
        ("0", 0.0),
        ("86400", 86400.0),
        ("abc", None),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("", None),
        (" 7\t", 7.0),
        ("+5", None),
        ("2.5", None),
        ("1e3", None),
        ("1_000", None),
        ("٣", None),
        ("５", None),
        ("9" * 5000, None),
        ("5\n", None),
    ],
)
def test_a_retry_after_in_seconds_is_read_and_nonsense_passed_over(header, seconds):
    assert retry_after(HttpError(Retry_After=header)) == seconds


def test_a_retry_after_as_a_date_is_the_time_until_then():
    ahead = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)
    assert 25 < retry_after(HttpError(retry_after=ahead)) <= 30
    assert retry_after(HttpError(retry_after=past)) == 0.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 0.0),
        ("Sun Nov  6 08:49:37 1994", 0.0),
        ("Sun, 06 Nov 1994 08:49:37 +0500", None),
        ("Sun, 6 Nov 1994 08:49:37 GMT", None),
        ("06 Nov 1994 08:49:37", None),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ("Sun, ٠٦ Nov 1994 08:49:37 GMT", None),
    ],
)
def test_only_the_dates_of_http_count(header, seconds):
    assert retry_after(HttpError(Retry_After=header)) == seconds


def test_a_date_of_http_without_a_zone_is_in_utc():
    ahead = (datetime.now(UTC) + timedelta(seconds=30)).strftime("%a %b %d %H:%M:%S %Y")
    assert 25 < retry_after(HttpError(retry_after=ahead)) <= 30


@pytest.mark.parametrize(("asked", "seconds"), [(3, 3.0), (None, None), (-1, None), (float("nan"), None)])
def test_a_tool_may_say_how_long_to_wait(asked, seconds):
    assert retry_after(TransientError("busy", retry_after=asked)) == seconds


def test_an_exception_without_a_response_asks_for_nothing():
    assert retry_after(ValueError()) is None


def test_an_exception_that_raises_when_it_is_looked_at_is_neither_worth_a_try_nor_in_the_way():
    class Raising(dict):
        def items(self):
            raise ValueError("no")

    class Odd(Exception):
        @property
        def response(self):
            raise RuntimeError("there is none yet")

        status_code = code = response

        @property
        def __class__(self):
            raise RuntimeError("nor a class")

    assert not is_transient(Odd())
    assert retry_after(Odd()) is None
    asked = HttpError(503)
    asked.response.headers = Raising()
    assert is_transient(asked)
    assert retry_after(asked) is None

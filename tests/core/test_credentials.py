"""Credentials in addresses are masked wherever an address is shown."""

from __future__ import annotations

import pytest

from tooldeck.core.credentials import without_logins
from tooldeck.hosts.prompt import question
from tooldeck.notebook import facts
from tooldeck.testing import fake_deck

ADDRESS = "https://bob:hunter2@example.org/x"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (ADDRESS, "https://•••@example.org/x"),
        ("http://u:pa55@127.0.0.1@example.org/", "http://•••@example.org/"),
        ("https://t0ken@example.org", "https://•••@example.org"),
        ("from ftp://a:b@c/ to ftp://d:e@f/", "from ftp://•••@c/ to ftp://•••@f/"),
        ({"to": [ADDRESS, 1], ADDRESS: None}, {"to": ["https://•••@example.org/x", 1],
                                               "https://•••@example.org/x": None}),
    ],
)  # fmt: skip
def test_what_stands_before_the_host_is_masked(given: object, shown: object) -> None:
    assert without_logins(given) == shown


@pytest.mark.parametrize(
    "given",
    [
        "ssh://git@example.org/lamp.git", "https://example.org/@bob", "https://example.org?to=a@b.c",
        '{"u":"https://example.org","mail":"a@b.c"}', "a@b.c", ["https://example.org", {"a": 1}], 7, None,
    ],
)  # fmt: skip
def test_what_carries_none_stays_the_very_same(given: object) -> None:
    assert without_logins(given) is given


def test_a_question_a_call_and_an_error_show_no_password() -> None:
    deck, host = fake_deck([True])
    deck.add(_grab, name="grab", effects="network")
    result = deck.call("grab", url=ADDRESS)
    (request,) = host.requests
    told = [question(request), facts.call_line("grab", request.call.arguments), str(result.error)]
    told += [argument.text for argument in facts.arguments(request.call.arguments)]
    assert all("•••@example.org/x" in text and "hunter2" not in text for text in told)
    assert "hunter2" not in deck.call("grab", url=[ADDRESS]).error  # it does not fit, and is quoted


def test_an_argument_that_is_named_a_secret_stays_out_of_the_line_of_a_call() -> None:
    line = facts.call_line(
        "login", {"user": "bob", "password": "hunter2", "api_key": "k", "password_of": "x"}
    )
    assert line == "login(user='bob', password='•••', api_key='•••', password_of='x')"


def _grab(url: str) -> str:
    """Get a page."""
    raise ValueError(f"{url} is gone")

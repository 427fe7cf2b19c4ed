"""What a call is aimed at, as a text that is the same for the same place."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from pydantic import AnyUrl

from tooldeck.core.targets import target_of


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ("http://Bad.example/a?b", "bad.example"),
        ("https://bad.example.:443/", "bad.example"),
        ("https://bad.example:8443/", "bad.example:8443"),
        ("http://user:secret@bad.example/", "bad.example"),
        ("http://[::1]:80/x", "::1"),
        (AnyUrl("http://bad.example/x"), "bad.example"),
        ("bad.example", "bad.example"),
        ("  eu-1 ", "eu-1"),
        (ip_address("10.0.0.1"), "10.0.0.1"),
        (7, "7"),
        (None, ""),
        ("", ""),
        ("http://", "http://"),
        ("http://[bad", "http://[bad"),
        ("http://x:99999/", "http://x:99999/"),
        ("z" * 5000, "z" * 200),
    ],
    ids=str,
)
def test_of_a_url_the_host_counts_and_everything_else_stands_for_itself(given, target):
    assert target_of(given) == target

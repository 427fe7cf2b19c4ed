"""The URL guard: which addresses it lets through, and where the connection really goes."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, ip_address
from threading import Thread
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tooldeck.guards.addresses import is_public
from tooldeck.guards.http import GuardedTransport, guarded_client
from tooldeck.guards.urls import UrlGuard, UrlRefused, masked

PUBLIC = "93.184.216.34"


def answers(*found: str) -> Any:
    """Return a resolver that always gives the same addresses."""
    return lambda host, port: found


# -- addresses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1",
        "240.0.0.1", "255.255.255.255", "0.1.2.3", "169.254.170.2", "172.31.0.1", "127.0.0.1", "10.0.0.5",
        "fd00:ec2::254", "::1", "::", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::7f00:1",
        "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "fe80::1%eth0", "2606:2800::1%eth0", "fd00::1",
        "fec0::1", "ff02::1", "2001:db8::1", "2001::1", "2606:2800::5efe:7f00:1", "64:ff9b:1::808:808",
        "", "x",
    ],
)  # fmt: skip
def test_an_address_of_a_neighbour_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "172.32.0.1", "100.128.0.1", "198.20.0.1", "11.0.0.1", "8.8.8.8", "64:ff9b::808:808",
        "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8", "2002:808:808::1",
    ],
)  # fmt: skip
def test_an_address_on_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@given(st.integers(0, 2**32 - 1))
def test_no_address_is_public_that_the_standard_library_calls_private(number: int) -> None:
    address = IPv4Address(number)
    assert address.is_global or not is_public(str(address))
    for prefix in (0xFFFF << 32, 0x64FF9B << 96):
        assert is_public(str(ip_address(prefix | number))) == is_public(str(address))


# -- reading ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://user:pa55@127.0.0.1@example.org/", "more than one @"),
        ("http://example.org@127.0.0.1/", "carries credentials"),
        ("https://bob:hunter2@example.org/private", "carries credentials"),
        ("http://example.org%2f@127.0.0.1/", "carries credentials"),
        ("http://example.org%2f.evil/", "no valid name"),
        ("http:///path", "no valid name"),
        ("http://exa mple.org/", "blanks"),
        ("http://example.org\\@127.0.0.1/", "backslashes"),
        ("http://example.org/\u202egpj", "control characters"),
        ("file:///etc/hostname", "only http and https"),
        ("gopher://example.org/", "only http and https"),
        ("example.org", "only http and https"),
        ("", "only http and https"),
        ("http://example.org:6379/", "port 6379"),
        ("http://example.org:0/", "no number"),
        ("http://example.org:99999/", "no number"),
        ("http://[fe80::1%25eth0/", "malformed"),
        (f"http://example.org/{'a' * 9000}", "longer than"),
    ],
)
def test_an_address_that_may_never_be_reached_is_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(UrlRefused, match=why) as refused:
        UrlGuard(resolver=answers(PUBLIC)).read(url)
    assert "hunter2" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_an_address_is_read_as_clients_send_it() -> None:
    site = UrlGuard().read("HTTPS://EXAMPLE.org.:443/a?b=c#d")
    assert (site.url, site.host, site.port) == ("https://example.org/a?b=c", "example.org", 443)
    assert UrlGuard().read("http://bücher.example:8080").host == "xn--bcher-kva.example"


@given(st.text(max_size=60))
def test_no_text_brings_the_reader_down(text: str) -> None:
    for url in (text, f"http://{text}", f"https://example.org/{text}"):
        try:
            site = UrlGuard().read(url)
        except UrlRefused:
            continue
        assert httpx.URL(site.url).raw_host.decode() == site.host


def test_credentials_are_starred_out_wherever_an_address_is_shown() -> None:
    assert masked("https://bob:hunter2@example.org/x") == "https://•••@example.org/x"


# -- resolving --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/", "http://0/",
        "http://0x7f.1/", "http://①②⑦.⓪.⓪.①/", "http://2852039166/", "http://LOCALHOST/", "http://[::1]/",
        "http://[::ffff:127.0.0.1]:8080/", "http://127.0.0.01/",
    ],
)  # fmt: skip
def test_every_spelling_of_a_neighbour_is_refused_by_the_systems_own_resolver(url: str) -> None:
    with pytest.raises(UrlRefused, match="no public address"):
        UrlGuard().check(url)


@pytest.mark.parametrize(
    "host", ["LOCALHOST", "db.localhost", "localhost.", "metadata.google.internal", "printer.local"]
)
def test_the_name_of_a_neighbour_is_refused_whatever_the_resolver_says(host: str) -> None:
    guard = UrlGuard(resolver=answers(PUBLIC))
    with pytest.raises(UrlRefused, match="no public address"):
        guard.check(f"http://{host}/")
    assert guard.check("http://local.example/")[1] == [PUBLIC]


def test_an_unknown_name_and_a_neighbours_name_are_refused_in_the_same_words() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    told: set[str] = set()
    for resolver in (unknown, answers("10.0.0.5"), answers(PUBLIC, "10.0.0.5"), answers()):
        with pytest.raises(UrlRefused) as refused:
            UrlGuard(resolver=resolver).check("http://intranet.example/")
        told.add(str(refused.value))
    assert len(told) == 1


def test_a_neighbour_that_a_person_named_may_be_reached_at_that_port_only() -> None:
    guard = UrlGuard(allow=("localhost:8080",), resolver=answers("127.0.0.1"))
    assert guard.check("http://localhost:8080/")[1] == ["127.0.0.1"]
    with pytest.raises(UrlRefused):
        guard.check("http://localhost:8081/")


# -- connecting -------------------------------------------------------------------------------


class Peer(BaseHTTPRequestHandler):
    """A web server that notes what it was asked and redirects where the path says."""

    def do_GET(self) -> None:
        self.server.seen.append((self.path, dict(self.headers)))  # type: ignore[attr-defined]
        _, found, target = self.path.partition("?to=")
        self.send_response(302 if found else 200)
        if found:
            self.send_header("Location", target)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def peer() -> Generator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Peer)
    server.seen = []  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


def get(guard: UrlGuard, url: str, **options: Any) -> httpx.Response:
    async def once() -> httpx.Response:
        async with guarded_client(guard) as client:
            return await client.get(url, **options)

    return asyncio.run(once())


def test_a_second_answer_of_the_resolver_has_no_effect() -> None:
    with peer() as server:
        port = server.server_address[1]
        turns = iter([PUBLIC, "127.0.0.1", "127.0.0.1"])
        guard = UrlGuard(resolver=lambda host, _: [next(turns)])
        site = guard.read(f"http://flip.example:{port}/")
        assert guard.resolve(site) == [PUBLIC]
        with pytest.raises(UrlRefused):
            get(guard, f"http://flip.example:{port}/")
        assert server.seen == []  # type: ignore[attr-defined]


def test_the_connection_goes_to_the_checked_address_and_keeps_the_name() -> None:
    with peer() as server:
        port = server.server_address[1]
        guard = UrlGuard(allow=(f"site.example:{port}",), resolver=answers("127.0.0.1"))
        response = get(guard, f"http://site.example:{port}/page")
        assert response.text == "ok"
        assert response.url == f"http://site.example:{port}/page"
        ((path, headers),) = server.seen  # type: ignore[attr-defined]
        assert (path, headers["Host"]) == ("/page", f"site.example:{port}")


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:9/secret", "http://169.254.169.254/", "//10.0.0.5/x", "file:///etc/hostname"]
)
def test_a_redirect_to_a_neighbour_or_another_scheme_is_refused_at_the_hop(target: str) -> None:
    with peer() as server:
        port = server.server_address[1]
        guard = UrlGuard(allow=(f"site.example:{port}",), resolver=_named({"site.example": "127.0.0.1"}))
        with pytest.raises((UrlRefused, httpx.UnsupportedProtocol)):
            get(guard, f"http://site.example:{port}/?to={target}")
        assert len(server.seen) == 1  # type: ignore[attr-defined]


def test_a_loop_of_redirects_ends_and_credentials_stay_with_their_host() -> None:
    with peer() as server:
        port = server.server_address[1]
        hosts = ("one.example", "two.example")
        guard = UrlGuard(
            allow=tuple(f"{host}:{port}" for host in hosts),
            resolver=_named(dict.fromkeys(hosts, "127.0.0.1")),
        )
        with pytest.raises(httpx.TooManyRedirects):
            get(guard, f"http://one.example:{port}/?to=/?to=/?to=/?to=/?to=/?to=/?to=/end")
        server.seen.clear()  # type: ignore[attr-defined]
        get(
            guard,
            f"http://one.example:{port}/?to=http://two.example:{port}/",
            headers={"Authorization": "secret"},
        )
        first, second = (headers for _, headers in server.seen)  # type: ignore[attr-defined]
        assert first["Authorization"] == "secret"
        assert "Authorization" not in second


def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    with peer() as server:
        port = server.server_address[1]
        guard = UrlGuard(allow=(f"site.example:{port}",), resolver=answers("127.0.0.2", "127.0.0.1"))
        assert get(guard, f"http://site.example:{port}/").text == "ok"


@pytest.mark.parametrize("package", ["httpx", "httpx2"])
def test_the_transport_serves_the_clients_of_both_packages(package: str) -> None:
    http = importlib.import_module(package)

    async def once(guard: UrlGuard, url: str) -> str:
        async with http.AsyncClient(transport=GuardedTransport(guard, http.AsyncHTTPTransport())) as client:
            return (await client.get(url)).text

    with peer() as server:
        port = server.server_address[1]
        guard = UrlGuard(allow=(f"127.0.0.1:{port}",))
        assert asyncio.run(once(guard, f"http://127.0.0.1:{port}/")) == "ok"
        with pytest.raises(UrlRefused):
            asyncio.run(once(UrlGuard(), f"http://127.0.0.1:{port}/"))


def _named(known: dict[str, str]) -> Any:
    return lambda host, port: [known.get(host, host)]

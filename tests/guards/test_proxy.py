"""The proxy that a browser's every connection goes through: one request at a time, past the guard."""

from __future__ import annotations

import asyncio
import contextlib

import httpx
import pytest

from tooldeck.guards.proxy import GuardedProxy
from tooldeck.guards.urls import UrlGuard


@contextlib.asynccontextmanager
async def proxy_for(answer=None, *, guard=None, most=1_000_000):
    """A proxy in front of a stand-in for the network, or of the guard's own addresses."""
    inner = None if answer is None else httpx.MockTransport(answer)
    made = GuardedProxy(guard or UrlGuard(resolver=lambda *_: ["93.184.216.34"]), most, inner)
    await made.start()
    try:
        yield made
    finally:
        await made.close()


async def sent(proxy, data):
    """All that the proxy answers to these bytes, until it closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(data)
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    return answer


def client(proxy):
    return httpx.AsyncClient(proxy=f"http://127.0.0.1:{proxy.port}", trust_env=False, timeout=10)


async def test_requests_and_answers_pass_with_their_bodies_and_without_what_belongs_to_the_hop():
    seen = []

    async def answer(request):
        seen.append((request.method, str(request.url), await request.aread(), dict(request.headers)))
        return httpx.Response(201, headers={"X-Own": "1", "Connection": "keep-alive, x-hop", "X-Hop": "2"},
                              content=b"made")  # fmt: skip

    async with proxy_for(answer) as proxy, client(proxy) as web:
        got = await web.post("http://example.org/a?b=c", content=b"hello", headers={"TE": "x"})
        head = await web.head("http://example.org/")
    assert (got.status_code, got.content, got.headers["x-own"], got.headers["connection"]) == (
        201, b"made", "1", "close",
    )  # fmt: skip
    assert "x-hop" not in got.headers
    assert head.status_code == 201
    method, url, body, headers = seen[0]
    assert (method, url, body) == ("POST", "http://93.184.216.34/a?b=c", b"hello")
    assert headers["host"] == "example.org"
    assert "te" not in headers
    assert "transfer-encoding" not in seen[1][3]


async def test_bodies_of_unknown_length_pass():
    async def pieces():
        yield b"one "
        yield b"two"

    async def answer(request):
        assert await request.aread() == b"one two"
        return httpx.Response(200, content=pieces())

    async with proxy_for(answer) as proxy, client(proxy) as web:
        assert (await web.post("http://example.org/", content=pieces())).content == b"one two"


async def test_a_connection_serves_one_request_only():
    asked = []

    def answer(request):
        asked.append(request.headers["host"])
        return httpx.Response(200, text="x")

    first, second = (
        b"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (h, h) for h in (b"a.example", b"b.example")
    )
    async with proxy_for(answer) as proxy:
        got = await sent(proxy, first + second)
    assert got.count(b"HTTP/1.1 200") == 1
    assert asked == ["a.example"]


async def test_the_host_is_that_of_the_address_whatever_the_header_says():
    def answer(request):
        return httpx.Response(200, text=request.headers["host"])

    async with proxy_for(answer) as proxy:
        got = await sent(proxy, b"GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n")
    assert got.endswith(b"a.example") or b"a.example\r\n" in got


@pytest.mark.parametrize(
    ("request_line", "host", "why"),
    [
        (b"CONNECT 127.0.0.1:443", "127.0.0.1:443", "no public address"),
        (b"CONNECT [::1]:443", "[::1]:443", "no public address"),
        (b"CONNECT example.org:22", "example.org:22", "port 22"),
        (b"CONNECT user@example.org:443", "example.org:443", "carries credentials"),
        (b"GET http://localhost/", "localhost:80", "no public address"),
        (b"GET http://2130706433/", "2130706433:80", "no public address"),
        (b"GET ftp://example.org/", "example.org:443", "only http and https"),
        (b"GET /path", "/path:443", "only http and https"),
    ],
)
async def test_what_may_not_be_reached_is_not_answered_and_noted(request_line, host, why):
    def resolver(name, port):
        return ["93.184.216.34"] if name == "example.org" else ["127.0.0.1"]

    async with proxy_for(guard=UrlGuard(resolver=resolver)) as proxy:
        assert await sent(proxy, request_line + b" HTTP/1.1\r\nHost: x\r\n\r\n") == b""
        assert why in proxy.turned[host].why
        proxy.refill()
        assert proxy.turned == {}


@pytest.mark.parametrize(
    "data", [b"nonsense\r\n\r\n", b"GET", b"", b"GET http://a/ HTTP/1.1\r\n" + b"A: b\r\n" * 50_000]
)
async def test_what_is_no_request_ends_the_connection(data):
    async with proxy_for(lambda request: httpx.Response(200)) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(data)
        writer.write_eof()
        async with asyncio.timeout(10):
            with contextlib.suppress(ConnectionError):
                assert b"200" not in await reader.read()
        writer.close()


async def test_a_tunnel_carries_both_ways_and_ends_at_the_limit_of_bytes():
    async def echo(reader, writer):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    guard = UrlGuard(allow=(f"echo.example:{port}",), resolver=lambda *_: ["127.0.0.1"])
    async with server, proxy_for(guard=guard, most=100_000) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"CONNECT echo.example:%d HTTP/1.1\r\nHost: x\r\n\r\n" % port)
        async with asyncio.timeout(10):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"hello")
            assert await reader.readexactly(5) == b"hello"
            with contextlib.suppress(ConnectionError):
                writer.write(b"a" * 200_000)
                assert len(await reader.read()) < 200_000
        writer.close()
        assert "loaded too much" in proxy.turned[f"echo.example:{port}"].why


async def test_what_stands_in_for_the_network_may_raise_and_answers_no_tunnels():
    def answer(request):
        raise KeyError(request.url.path)

    async with proxy_for(answer) as proxy:
        assert await sent(proxy, b"GET http://example.org/a HTTP/1.1\r\nHost: x\r\n\r\n") == b""
        assert "raised KeyError: '/a'" in proxy.turned["example.org:80"].why
        assert await sent(proxy, b"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n") == b""
        assert "only plain http" in proxy.turned["example.org:443"].why

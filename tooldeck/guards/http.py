"""The URL guard at work: a transport for HTTP clients that connects only to the addresses it has checked."""

from __future__ import annotations

import asyncio
from typing import Any, Self

from tooldeck.guards.urls import Site, UrlGuard, UrlRefused

__all__ = ["GuardedTransport", "guarded_client", "guarded_transport", "looked_up"]

_ADDRESSES = 3
"""How many of a site's addresses are tried, in the resolver's order."""
_PATIENCE = 10.0
"""Seconds for the look-up of a name."""


class GuardedTransport:
    """A transport around another one: each request goes to an address that passed the guard.

    The name is looked up once and the connection is made to the answer that was checked, so that a second,
    different answer (DNS rebinding) has no effect; the name itself stays in the Host header and is what the
    certificate must be for. A client that follows redirects comes here at every hop. It works for clients of
    httpx and of httpx2, since both ask a transport for the same three methods.

    The transport inside must keep no connection: one that was opened for a name must not serve another name
    at the same address.
    """

    def __init__(self, guard: UrlGuard, inner: Any) -> None:
        self._guard = guard
        self._inner = inner

    async def handle_async_request(self, request: Any) -> Any:
        """Send one request; raises `UrlRefused` before any connection is made."""
        site = self._guard.read(str(request.url))
        addresses = await looked_up(self._guard, site)
        for address in addresses[:-1]:
            try:
                return await self._send(request, site, address)
            except ConnectionError:
                continue
            except Exception as error:
                if type(error).__name__ not in {"ConnectError", "ConnectTimeout"}:
                    raise
        return await self._send(request, site, addresses[-1])

    async def _send(self, request: Any, site: Site, address: str) -> Any:
        pinned = type(request)(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": site.host},
        )
        return await self._inner.handle_async_request(pinned)

    async def aclose(self) -> None:
        """Close the transport inside."""
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._inner.__aexit__(*error)


async def looked_up(guard: UrlGuard, site: Site) -> list[str]:
    """The first few addresses of a site, all of them checked; raises `UrlRefused` before any is reached."""
    looking = asyncio.get_running_loop().run_in_executor(None, guard.resolve, site)
    try:
        return (await asyncio.wait_for(looking, _PATIENCE))[:_ADDRESSES]
    except TimeoutError:
        raise UrlRefused(f"{site.host!r} could not be looked up within {_PATIENCE:g} s.") from None


def guarded_client(
    guard: UrlGuard, *, redirects: int = 5, seconds: float = 15.0, inner: Any = None, **options: Any
) -> Any:
    """An `httpx.AsyncClient` behind the guard.

    Follows at most so many redirects, waits `seconds` for each step, takes no proxies from the environment
    (a proxy would look names up itself). `inner` is another transport than the network.
    """
    import httpx

    return httpx.AsyncClient(
        transport=guarded_transport(guard, inner),  # pyright: ignore[reportArgumentType]
        follow_redirects=redirects > 0,
        max_redirects=redirects,
        timeout=seconds,
        trust_env=False,
        **options,
    )


def guarded_transport(guard: UrlGuard, inner: Any = None) -> GuardedTransport:
    """A transport of httpx behind the guard; `inner` is another one than the network."""
    import httpx

    if inner is None:
        inner = httpx.AsyncHTTPTransport(trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))
    return GuardedTransport(guard, inner)

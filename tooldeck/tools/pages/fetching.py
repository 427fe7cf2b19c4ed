"""Getting pages: each hop past the URL guard and the site's robots.txt, within limits of size and time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urljoin, urlsplit

from tooldeck import __version__
from tooldeck.core.errors import ExpectedError, TransientError
from tooldeck.core.injection import ToolContext
from tooldeck.core.transient import retry_after
from tooldeck.guards.http import guarded_client
from tooldeck.guards.urls import UrlGuard, masked
from tooldeck.tools.pages.bodies import read_body
from tooldeck.tools.pages.robots import MOST_BYTES, Robots, read_robots

if TYPE_CHECKING:
    from tooldeck.tools.pages.searching import SearchBackend

__all__ = ["Got", "Web", "web_of"]

T = TypeVar("T")
HOPS = 5
"""Redirects that are followed."""
_NAME = "tooldeck"
_FRESH = 300.0
"""Seconds for which a page is not fetched again, so that its parts fit together."""
_ROBOTS_FRESH = 3_600.0
_MOST_KEPT = 8


class Got(NamedTuple):
    """What a server sent."""

    url: str
    """Where it was in the end."""
    content_type: str
    body: bytes


@dataclass
class Web:
    """How a deck reaches the web; ``deck.provide(Web, Web(…))`` gives it another one."""

    guard: UrlGuard = field(default_factory=UrlGuard)
    """The rule for addresses."""
    search: SearchBackend | None = None
    """Where searches go; None: ddgs, where that is installed."""
    robots: bool = True
    """Whether `web fetch` heeds robots.txt; a browser, which shows single pages, does not ask it."""
    most_bytes: int = 5_000_000
    """Bytes of a page, unpacked."""
    seconds: float = 20.0
    """For a page with all its hops."""
    transport: Any = None
    """An httpx transport that answers in place of the network; for demonstrations and tests."""
    now: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._pages: dict[str, tuple[float, Got]] = {}
        self._robots: dict[str, tuple[float, Robots]] = {}

    async def page(self, url: str) -> Got:
        """The page at an address.

        Raises `UrlRefused`; `ExpectedError` where it is not there, blocked or too large; `TransientError`
        where the site cannot be reached or is in trouble.
        """
        known = self._pages.get(url)
        if known is not None and self.now() - known[0] < _FRESH:
            return known[1]
        got = await self._bounded(url, lambda client: self._hop(client, url))
        self._pages[url] = (self.now(), got)
        while len(self._pages) > _MOST_KEPT:
            del self._pages[next(iter(self._pages))]
        return got

    async def answer(self, url: str, params: dict[str, Any]) -> tuple[int, str, bytes, float | None]:
        """What an interface of the web answers: status, type, body and how long it asks to wait."""

        async def ask(client: Any) -> tuple[int, str, bytes, float | None]:
            async with client.stream("GET", url, params=params) as response:
                body = await read_body(response, self.most_bytes)
                return response.status_code, _type(response), body, _wait(response)

        return await self._bounded(url, ask)

    async def _bounded(self, url: str, work: Callable[[Any], Awaitable[T]]) -> T:
        import httpx

        headers = {
            "user-agent": f"{_NAME}/{__version__}",
            "accept": "text/html, application/json, text/*;q=0.9, application/pdf, */*;q=0.5",
            "accept-encoding": "gzip, deflate",
        }
        shown = masked(url)
        client = guarded_client(
            self.guard, redirects=0, seconds=self.seconds, inner=self.transport, headers=headers
        )
        try:
            async with client, asyncio.timeout(self.seconds):
                return await work(client)
        except (TimeoutError, httpx.TimeoutException):
            raise TransientError(f"{shown} took longer than {self.seconds:g} s.") from None
        except (httpx.InvalidURL, ValueError):  # the latter for what is no address after all
            raise ExpectedError(f"{shown} leads to an address that is malformed.") from None
        except (httpx.HTTPError, OSError) as error:
            raise TransientError(f"{shown} could not be reached ({type(error).__name__}).") from None

    async def _hop(self, client: Any, url: str) -> Got:
        for _ in range(HOPS + 1):
            site = self.guard.read(url)
            if self.robots and not (await self._rules(client, site.url)).allow(site.url):
                raise ExpectedError(f"{masked(url)} is not read: the robots.txt of that site forbids it.")
            async with client.stream("GET", site.url) as response:
                if not response.has_redirect_location:
                    _check(response, url)
                    return Got(site.url, _type(response), await read_body(response, self.most_bytes))
                url = urljoin(site.url, response.headers["location"])
        raise ExpectedError(f"{masked(url)} is not read: more than {HOPS} redirects led there.")

    async def _rules(self, client: Any, url: str) -> Robots:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        known = self._robots.get(origin)
        if known is None or self.now() - known[0] > _ROBOTS_FRESH:
            known = (self.now(), await self._robots_of(client, f"{origin}/robots.txt"))
            if len(self._robots) > 100:
                self._robots.clear()
            self._robots[origin] = known
        return known[1]

    async def _robots_of(self, client: Any, url: str) -> Robots:
        for _ in range(HOPS + 1):
            async with client.stream("GET", url) as response:
                if response.has_redirect_location:
                    url = urljoin(url, response.headers["location"])
                    continue
                if response.status_code >= 500:
                    raise TransientError(
                        f"{masked(url)} cannot be read ({response.status_code}), so the site is left alone."
                    )
                if not response.is_success:
                    return Robots()
                text = (await read_body(response, MOST_BYTES)).decode("utf-8", "replace")
                return read_robots(text, _NAME)
        return Robots()


def _type(response: Any) -> str:
    return response.headers.get("content-type", "")


def _wait(response: Any) -> float | None:
    import httpx

    return retry_after(httpx.HTTPStatusError("", request=response.request, response=response))


def _check(response: Any, url: str) -> None:
    """Raise for a page that is none, in words that say what to conclude."""
    status, shown = response.status_code, masked(url)
    if response.is_success:
        return
    if status == 429:
        raise TransientError(
            f"{shown}: blocked, the site was asked too often (429).", retry_after=_wait(response)
        )
    if status in {401, 402, 403, 407, 451}:
        raise ExpectedError(f"{shown}: blocked, the site shows it to nobody without permission ({status}).")
    if status in {404, 410}:
        raise ExpectedError(f"{shown}: there is no such page ({status}).")
    if status >= 500:
        raise TransientError(f"{shown}: the site is in trouble ({status}).", retry_after=_wait(response))
    raise ExpectedError(f"{shown}: the site answered {status} and no page.")


def web_of(context: ToolContext, given: Web | None) -> Web:
    """The web of a deck: what it was given, else one that it keeps from now on."""
    if given is None:
        given = Web()
        context.deck.provide(Web, given)
    return given

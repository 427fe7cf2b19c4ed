"""Where searches go: a small protocol, and four who follow it.

"Nothing was found", "the search is not available" and "the search refuses to answer" are three different
things: an empty list, `SearchUnavailable` and `SearchBlocked`.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tooldeck.core.errors import SetupError, TooldeckError, TransientError
from tooldeck.core.words import fold
from tooldeck.guards.text import one_line
from tooldeck.guards.urls import UrlRefused
from tooldeck.store.searching import Term, terms
from tooldeck.tools.pages.fetching import Web

__all__ = [
    "DdgsSearch",
    "MediaWikiSearch",
    "OfflineSearch",
    "SearchBackend",
    "SearchBlocked",
    "SearchUnavailable",
    "SearxngSearch",
    "Sighting",
]

_CAPTCHA = re.compile(
    rb"captcha|unusual traffic|are you a (?:human|robot)|anomaly|cf-challenge|verify you are human",
    re.IGNORECASE,
)
_TAGS = re.compile(r"<[^<>]{0,1000}>")
_CONTROL = "wikipedia"
"""A query that everybody finds something for."""


class SearchUnavailable(TransientError):
    """The search could not be carried out; nothing is known about what there is."""


class SearchBlocked(TooldeckError):
    """The search refused to answer, and would again; nothing is known about what there is."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A page that a search found."""

    title: str
    url: str
    snippet: str = ""


class SearchBackend(Protocol):
    """Somebody who searches the web."""

    async def search(self, query: str, limit: int, web: Web) -> list[Sighting]:
        """At most `limit` pages, the best first; none where there is nothing.

        Raises `SearchUnavailable` and `SearchBlocked`.
        """
        ...


@dataclass(frozen=True, slots=True)
class SearxngSearch:
    """A SearXNG server; its settings must allow the format ``json``."""

    address: str

    async def search(self, query: str, limit: int, web: Web) -> list[Sighting]:
        """See `SearchBackend.search`."""
        data = await _asked(web, f"{self.address.rstrip('/')}/search", {"q": query, "format": "json"})
        found = [
            Sighting(str(one.get("title", "")), str(one.get("url", "")), str(one.get("content") or ""))
            for one in data.get("results", ())
        ]
        silent = data.get("unresponsive_engines")
        if not found and silent:
            raise SearchUnavailable(f"None of the search engines answered: {json.dumps(silent)[:200]}.")
        return found[:limit]


@dataclass(frozen=True, slots=True)
class MediaWikiSearch:
    """The search of a wiki, by default the English Wikipedia."""

    api: str = "https://en.wikipedia.org/w/api.php"
    page: str = "https://en.wikipedia.org/wiki/"
    """What the name of a page is put behind."""

    async def search(self, query: str, limit: int, web: Web) -> list[Sighting]:
        """See `SearchBackend.search`."""
        asked = {"action": "query", "list": "search", "format": "json", "srsearch": query, "srlimit": limit}
        data = await _asked(web, self.api, asked)
        if "error" in data:
            raise SearchUnavailable(f"The wiki answers: {str(data['error'].get('info', ''))[:200]}")
        return [
            Sighting(one["title"], self.page + one["title"].replace(" ", "_"), one.get("snippet", ""))
            for one in data.get("query", {}).get("search", ())
        ]


@dataclass(frozen=True, slots=True)
class DdgsSearch:
    """Several public engines by the package ddgs; `make` gives another searcher, for tests."""

    make: Callable[[], Any] | None = None

    async def search(self, query: str, limit: int, web: Web) -> list[Sighting]:
        """See `SearchBackend.search`. It reaches the engines by itself, and no page that they name."""
        found = await asyncio.to_thread(self._found, query, limit)
        if not found and not await asyncio.to_thread(self._found, _CONTROL, 1):
            # Engines that refuse look the same to it as engines that found nothing.
            raise SearchBlocked("The search engines give nothing at all at the moment; they may refuse.")
        return [Sighting(one.get("title", ""), one.get("href", ""), one.get("body", "")) for one in found]

    def _found(self, query: str, limit: int) -> list[dict[str, str]]:
        try:
            return self._searcher().text(query, max_results=limit)
        except SetupError:
            raise
        except Exception as error:
            said, kind = str(error), type(error).__name__
            if "No results found" in said:
                return []
            if kind == "RatelimitException" or re.search(r"\b(202|403|429)\b|captcha", said, re.IGNORECASE):
                raise SearchBlocked(f"The search engines refuse to answer: {said[:200]}") from error
            raise SearchUnavailable(f"The search engines cannot be reached: {_why(said)}.") from error

    def _searcher(self) -> Any:
        if self.make is not None:
            return self.make()
        try:
            from ddgs import DDGS
        except ImportError:
            raise SetupError(
                "There is nowhere to search: pip install 'tooldeck[web]', or give the deck another search "
                "with deck.provide(Web, Web(search=SearxngSearch(…)))."
            ) from None
        return DDGS(timeout=10)


class OfflineSearch:
    """A search in pages that are given: address to title and text."""

    def __init__(self, pages: Mapping[str, tuple[str, str]]) -> None:
        self._pages = dict(pages)

    async def search(self, query: str, limit: int, web: Web) -> list[Sighting]:
        """See `SearchBackend.search`. Pages with more of the words come first."""
        wanted = terms(query)
        ranked: list[tuple[int, Sighting]] = []
        for url, (title, text) in self._pages.items():
            hits = sum(_has(fold(f"{title}\n{text}"), term) for term in wanted)
            if hits:
                ranked.append((hits, Sighting(title, url, text[:200])))
        ranked.sort(key=lambda one: -one[0])
        return [sighting for _, sighting in ranked[:limit]]


def _why(said: str) -> str:
    """What a nested error of ddgs comes to, in a few words."""
    folded = said.casefold()
    if "dns" in folded or "resolv" in folded:
        return "their names cannot be looked up, so there may be no network"
    if "timed out" in folded or "timeout" in folded:
        return "they took too long to answer"
    if "connect" in folded:
        return "no connection came about"
    return one_line(said)[:200].rstrip(".") or "they say nothing of why"


def _has(folded: str, term: Term) -> bool:
    parts = term.tokens if term.column == "words" else ("".join(token[0] for token in term.tokens),)
    return all(part in folded for part in parts)


async def _asked(web: Web, url: str, params: dict[str, Any]) -> dict[str, Any]:
    """The JSON object that an interface answers; raises where it is none."""
    try:
        status, kind, body, wait = await web.answer(url, params)
    except TransientError as error:
        raise SearchUnavailable(f"The search is not available: {error}") from error
    except UrlRefused as error:
        raise SearchUnavailable(
            f"The search is not available: {error} A search on this machine must be allowed, for example by "
            "Web(guard=UrlGuard(allow=('localhost:8888',)), search=…)."
        ) from error
    if status in {202, 403, 429} or (b"<" in body[:200] and _CAPTCHA.search(body[:100_000])):
        later = "" if wait is None else f"; it may be asked again in {wait:g} s"
        raise SearchBlocked(f"The search refuses to answer ({status}){later}.")
    if status != 200:
        raise SearchUnavailable(f"The search is not available ({status}).", retry_after=wait)
    try:
        data = json.loads(body)
    except ValueError:
        raise SearchUnavailable(f"The search answers {kind[:60]!r} and no JSON.") from None
    if not isinstance(data, dict):
        raise SearchUnavailable("The search answers JSON that is no object.")
    return data


def plain(text: str) -> str:
    """A title or a snippet without HTML."""
    return " ".join(html.unescape(_TAGS.sub("", text)).split())

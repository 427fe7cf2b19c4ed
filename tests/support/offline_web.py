"""A web of a few pages that needs no network."""

from __future__ import annotations

from typing import Any

import httpx

from tooldeck.guards.urls import UrlGuard
from tooldeck.tools.pages.fetching import Web
from tooldeck.tools.pages.searching import OfflineSearch

__all__ = ["offline_web"]

_PAGES = {
    "/moon": "<title>The Moon</title><h1>The Moon</h1><p>It makes <a href='/tides'>tides</a> every day.</p>",
    "/tides": "<title>Tides</title><p>Tides of the moon and the sun.</p>",
    "/form": (
        "<title>Tides</title><h1>Tides</h1><p>They come twice a day.</p><form action='/moon'>"
        "<label>Harbour <input name='harbour'></label>"
        "<label>When <select name='when'><option>morning</option><option>evening</option></select></label>"
        "<button>Ask</button></form><a href='/moon'>The moon</a>"
    ),
    "/潮汐": "<title>潮汐</title><p>潮汐是月球的引力造成的</p>",
}


def _answer(request: httpx.Request) -> httpx.Response:
    page = _PAGES.get(request.url.path)
    return httpx.Response(404) if page is None else httpx.Response(200, html=page)


def offline_web(**options: Any) -> Web:
    pages = {f"https://example.org{path}": (path[1:], text) for path, text in _PAGES.items()}
    return Web(
        guard=UrlGuard(resolver=lambda host, port: ["93.184.216.34"]),
        search=OfflineSearch(pages),
        transport=httpx.MockTransport(_answer),
        **options,
    )

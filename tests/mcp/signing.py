"""A person who signs in to servers, and what the tests of that have in common."""

from __future__ import annotations

import asyncio

import pytest

from tests.mcp.conftest import LIMIT
from tooldeck.mcp.errors import McpConnectError
from tooldeck.mcp.oauth.redirect import SignInRequest

__all__ = ["LIMIT", "Person", "called", "refused"]


class Person:
    """Visits the page in a browser that is here, or in one elsewhere and pastes where it ended."""

    def __init__(self, web, *, elsewhere=False):
        self.web = web
        self.elsewhere = elsewhere
        self.asked: list[SignInRequest] = []
        self.ended_at: list[str] = []
        self.arrived: list[bool] = []

    async def __call__(self, request):
        self.asked.append(request)
        ended = await asyncio.to_thread(lambda: self.web.get(request.page).headers["location"])
        self.ended_at.append(ended)
        if self.elsewhere:
            return ended
        try:
            await asyncio.to_thread(self.web.get, ended)
            await asyncio.sleep(LIMIT)
        finally:
            self.arrived.append(request.arrived.is_set())


def called(connection, name):
    tool = connection[name]
    return tool.executor.submit(tool.invoke, {}).result(LIMIT).text


def refused(signing, **settings) -> str:
    with pytest.raises(McpConnectError) as caught:
        signing.connect(signing.url, label="guarded", **settings)
    assert "guarded" not in signing
    return str(caught.value)

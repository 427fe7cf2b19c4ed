"""The browsers of a deck: one for each session, a few at a time, ended with the deck."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from typing import Any

from tooldeck.tools.browsing.chromium import browser_loop
from tooldeck.tools.browsing.sessions import Session
from tooldeck.tools.pages.fetching import Web

__all__ = ["Browsers"]

MOST = 3
"""Sessions of one deck that have a browser at the same time; one more ends the one not used for longest."""
_END_SECONDS = 8.0


class Browsers:
    """The sessions of one deck that have a browser."""

    def __init__(self) -> None:
        self._by_session: dict[str, Session] = {}

    @classmethod
    def of(cls, deck: Any) -> Browsers:
        """Those of a deck; they end when it is closed or gone."""
        browsers = _of_decks.get(deck)
        if browsers is None:
            browsers = _of_decks[deck] = cls()
            deck.on_close(browsers.close)
            weakref.finalize(deck, browsers.close)
        return browsers

    def known(self, session: str) -> Session | None:
        """The living browser of a session."""
        found = self._by_session.get(session)
        return None if found is None or found.over else found

    async def get(self, session: str, web: Web) -> Session:
        """The browser of a session, a new one where it has none; its first action starts it."""
        found = self._by_session.pop(session, None)
        if found is None or found.over or found.web is not web:
            if found is not None:
                await found.end()
            while len(self._by_session) >= MOST:
                await self._by_session.pop(next(iter(self._by_session))).end()
            found = Session(web)
        self._by_session[session] = found  # at the end: the last one used
        return found

    async def end(self, session: str) -> bool:
        """End the browser of a session; False where it has none."""
        found = self._by_session.pop(session, None)
        if found is None:
            return False
        await found.end()
        return True

    def close(self) -> None:
        """End all of them."""
        mine, self._by_session = list(self._by_session.values()), {}
        if not mine:
            return

        async def end_all() -> None:
            await asyncio.gather(*(session.end() for session in mine))

        ending = browser_loop().submit(end_all)
        if not browser_loop().owns_current_thread():
            with contextlib.suppress(Exception):  # the loop winds down, and the browsers go with the process
                ending.result(_END_SECONDS)


_of_decks: weakref.WeakKeyDictionary[Any, Browsers] = weakref.WeakKeyDictionary()

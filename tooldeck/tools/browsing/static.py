"""Pages where there is no browser: opened and read as they were sent, without their scripts."""

from __future__ import annotations

import weakref
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.core.parts import Answer
from tooldeck.tools.browsing.answers import part_of, told
from tooldeck.tools.browsing.chromium import why_no_browser
from tooldeck.tools.pages.fetching import Got, Web
from tooldeck.tools.pages.reading import page_of

__all__ = ["StaticPages"]

_MOST = 3
"""Sessions of one deck whose page is kept."""


class StaticPages:
    """The page of each session of one deck."""

    def __init__(self) -> None:
        self._by_session: dict[str, Got] = {}

    @classmethod
    def of(cls, deck: Any) -> StaticPages:
        """Those of a deck."""
        return _of_decks.setdefault(deck, cls())

    async def open(self, session: str, web: Web, url: str, max_chars: int) -> Answer:
        """Get a page, and show its text."""
        got = await web.page(url)
        self._by_session.pop(session, None)
        self._by_session[session] = got
        while len(self._by_session) > _MOST:
            del self._by_session[next(iter(self._by_session))]
        value, _ = await _read(got, 0, max_chars, whole=False)
        return Answer(value, told(value, value["text"]))

    async def read(
        self, session: str, start: int, max_chars: int, *, whole: bool
    ) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
        """A part of the page that was opened last, and its links; raises `ExpectedError` where none was."""
        got = self._by_session.get(session)
        if got is None:
            raise ExpectedError("No page is open; use action='open' first.")
        return await _read(got, start, max_chars, whole=whole)

    def close(self, session: str) -> bool:
        """Forget the page of a session; False where it has none."""
        return self._by_session.pop(session, None) is not None


async def _read(
    got: Got, start: int, max_chars: int, *, whole: bool
) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    page = await page_of(got.body, got.content_type, got.url, whole=whole)
    part, place = part_of(page.text, start, max_chars)
    why = f"read as it was sent, since {why_no_browser()}; its scripts have not run, nothing can be clicked"
    value = {
        "url": got.url,
        "title": page.title,
        "tab": 1,
        "tabs": 1,
        "notes": [why, *page.notes],
        **place,
        "text": part,
    }
    return value, tuple(page.links)


_of_decks: weakref.WeakKeyDictionary[Any, StaticPages] = weakref.WeakKeyDictionary()

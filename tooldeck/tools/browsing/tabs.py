"""One tab: a page, which document it shows, and whether another one is on its way."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from tooldeck.guards.text import one_line
from tooldeck.tools.browsing import outlines
from tooldeck.tools.browsing.snapshots import Snapshot, read_snapshot

__all__ = ["EMPTY", "SEEN", "Tab"]

EMPTY = "about:blank"
"""What a tab shows before its first page."""
SEEN = frozenset({"http", "https", "about", "blob", "data"})
"""Schemes of pages that are looked at; ``about``, ``blob`` and ``data`` hold what their opener put there."""
_LOOK = 0.05
_BEGINS = 0.15
"""Seconds in which what an action sets off begins."""
_SETTLES = 5.0
"""Seconds that a page is given to load after an action."""
_TREE = 8.0
"""Seconds for the tree of a page; one that is being written by its scripts may give none."""
_MOST_FAILED = 100


class Tab:
    """Everything here runs on the loop of browsers; `note` is told what a reader should know."""

    def __init__(self, page: Any, note: Callable[[str], None]) -> None:
        self.page = page
        self.document = 0
        """Counts the documents that were loaded."""
        self.crashed = False
        self.shown = Snapshot("")
        """What a reader saw last."""
        self.failed: set[str] = set()
        """Hosts, with their ports, that requests of the page failed for."""
        self._note = note
        self._leaving = False
        page.on("domcontentloaded", self._loaded)
        page.on("crash", self._crash)
        page.on("dialog", self._dialog)
        page.on("download", lambda download: note(f"a download was refused: {_short(download.url)}"))
        page.on("request", self._requested)
        page.on("requestfailed", self._missed)
        page.on("framenavigated", self._arrived)
        page.on("websocket", lambda socket: self._tried(socket.url))

    # -- what the page does

    def _loaded(self, _page: Any) -> None:
        self.document += 1

    def _crash(self, _page: Any) -> None:
        self.crashed = True

    async def _dialog(self, dialog: Any) -> None:
        leaving = dialog.type == "beforeunload"
        kind = "asked whether to leave" if leaving else f"showed a box ({dialog.type})"
        answered = "answered yes" if leaving else "closed"
        self._note(f"the page {kind}, which was {answered}: {one_line(dialog.message)[:200]!r}")
        from playwright.async_api import Error

        with contextlib.suppress(Error):
            await (dialog.accept() if leaving else dialog.dismiss())

    def _requested(self, request: Any) -> None:
        if request.is_navigation_request() and request.frame == self.page.main_frame:
            self._leaving = True

    def _missed(self, request: Any) -> None:
        self._tried(request.url)
        if request.is_navigation_request() and request.frame == self.page.main_frame:
            self._leaving = False

    def _arrived(self, frame: Any) -> None:
        if frame == self.page.main_frame:
            self._leaving = False

    def _tried(self, url: str) -> None:
        parts = urlsplit(url)
        if len(self.failed) < _MOST_FAILED and parts.hostname:
            with contextlib.suppress(ValueError):
                port = parts.port or (443 if parts.scheme in {"https", "wss"} else 80)
                host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
                self.failed.add(f"{host}:{port}")

    # -- what is asked of it

    @property
    def may_be_seen(self) -> bool:
        """Whether it shows a page of the web, and none of the browser or of this machine."""
        return urlsplit(self.page.url).scheme in SEEN

    async def settle(self) -> None:
        """Wait until what an action has set off has come, within limits."""
        from playwright.async_api import Error

        await asyncio.sleep(_BEGINS)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SETTLES):
                while self._leaving:  # noqa: ASYNC110 - changed by events of the page
                    await asyncio.sleep(_LOOK)
        with contextlib.suppress(Error):
            await self.page.wait_for_load_state("load", timeout=_SETTLES * 1_000)

    async def look(self) -> Snapshot:
        """The page as it is now; a reader's references still belong to what was `shown`."""
        while True:
            document = self.document
            if await self._elements() > outlines.MOST_ELEMENTS:
                found, left_out = await outlines.outline_of(self.page, document)
                self._note(left_out)
            else:
                tree = await self.page.aria_snapshot(mode="ai", timeout=_TREE * 1_000)
                found = read_snapshot(tree, document)
            if document == self.document:
                return found

    async def _elements(self) -> int:
        from playwright.async_api import TimeoutError as TooLate

        try:
            async with asyncio.timeout(_TREE):
                return await outlines.elements_of(self.page)
        except TimeoutError:
            raise TooLate(f"  - the page did not react within {_TREE:g} s") from None

    async def show(self) -> Snapshot:
        """The page as it is now, for a reader."""
        from playwright.async_api import Error

        before, self.shown = self.shown, await self.look()
        if before.kept is not None:
            with contextlib.suppress(Error):
                await before.kept.dispose()
        return self.shown

    async def close(self) -> None:
        """Close it, also where its page does not react."""
        from playwright.async_api import Error

        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(3.0):
                await self.page.close()


def _short(url: str) -> str:
    return one_line(url)[:200]

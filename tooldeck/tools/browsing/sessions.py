"""The browser of one session: its tabs, one action at a time, and what went on meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tooldeck.core.errors import ExpectedError, TransientError
from tooldeck.guards.text import one_line
from tooldeck.guards.urls import UrlRefused, masked
from tooldeck.tools.browsing.chromium import Chromium
from tooldeck.tools.browsing.tabs import EMPTY, Tab
from tooldeck.tools.pages.fetching import Web

__all__ = ["Session"]

T = TypeVar("T")
MOST_TABS = 8
_MOST_NOTES = 20
_OPENS = 20.0
"""Seconds for a page to open."""
_MARGIN = 20.0
"""Seconds for what comes before and after an action: starting the browser is not among it."""
_REACTS = 3.0
_GONE = "Connection closed"
"""What Playwright says, in a plain exception, when its driver has ended."""
_ERROR = "chrome-error:"
"""How the address of a page begins that the browser shows for one that did not come."""


class Session:
    """One browser with its tabs. Everything but `shown` runs on the loop of browsers."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.tabs: list[Tab] = []
        self.chromium = Chromium(web.guard, web.transport)
        self._notes: list[str] = []
        self.front: Tab | None = None
        """The tab in front."""
        self._turn = asyncio.Lock()
        self._started = False

    @property
    def over(self) -> bool:
        """Whether its browser has gone."""
        return self._started and self.chromium.over

    @property
    def tab(self) -> Tab:
        """The tab in front; raises `ExpectedError` where none is open."""
        if self.front is None:
            raise ExpectedError("No page is open; use action='open' first.")
        return self.front

    def shown(self, ref: str) -> tuple[str, str]:
        """The element of a reference as it was shown last, and the address of its page."""
        tab = self.tab
        return tab.shown.elements.get(ref, "an element that is not shown any more"), tab.page.url

    def note(self, text: str) -> None:
        """Keep something that the next answer says."""
        if text not in self._notes and len(self._notes) < _MOST_NOTES:
            self._notes.append(text)

    async def act(self, work: Callable[[], Awaitable[T]], seconds: float = 0.0) -> T:
        """Do something, alone; raises what tools raise, whatever Playwright says."""
        from playwright.async_api import Error

        async with self._turn:
            if not self._started:
                self._started = True
                await self.chromium.start()
                self.chromium.context.on("page", self._opened)
                if not self.chromium.sandboxed:
                    self.note("the browser works without its own sandbox here")
            self.chromium.proxy.refill()
            try:
                async with asyncio.timeout(seconds + _MARGIN):
                    return await work()
            except TimeoutError:
                await self._leave_page()
                raise ExpectedError("The page did not react any more, so its tab was closed.") from None
            except asyncio.CancelledError:
                if self.front is not None:
                    self._closing = asyncio.create_task(self._stop(self.front))
                raise
            except Error as error:
                raise await self._translated(error) from None
            except Exception as error:
                if _GONE not in str(error):
                    raise
                raise await self._translated(error) from None

    async def _leave_page(self) -> None:
        if self.front is not None:
            await self.drop(self.front)

    async def _stop(self, tab: Tab) -> None:
        """Let a tab load no further; one that does not even react to that is closed."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(_REACTS):
                browser = await self.chromium.context.new_cdp_session(tab.page)
                await browser.send("Page.stopLoading")
                await browser.detach()
                await tab.page.evaluate("1")
        except (Error, TimeoutError):
            await self.drop(tab)

    async def _translated(self, error: Exception) -> Exception:
        """What a fault of Playwright means."""
        said = str(error)
        if self.chromium.over or ("closed" in said and not await self.chromium.lives()):
            return TransientError("The browser has ended; use action='open' again.")
        if self.front is not None and (self.front.crashed or self.front.page.is_closed()):
            await self.drop(self.front)
            return ExpectedError("The page has crashed or closed itself; its tab is gone.")
        if "Timeout" in type(error).__name__:
            why = [one_line(line.strip(" -"))[:200] for line in said.splitlines() if line.startswith("  ")]
            return ExpectedError(f"It could not be done in time: {'; '.join(why[-3:]) or said[:200]}.")
        return ExpectedError(f"The page would not: {one_line(said.partition(chr(10))[0])[:300]}.")

    # -- tabs

    def _opened(self, page: Any) -> None:
        """A page that somebody opened, a script perhaps: it is a tab, in front."""
        if any(tab.page is page for tab in self.tabs):
            return
        tab = Tab(page, self.note)
        if len(self.tabs) >= MOST_TABS:
            self.note(f"a new tab was closed at once, since there are {MOST_TABS} already")
            self._closing = asyncio.create_task(tab.close())
            return
        if self.tabs:
            self.note("a new tab was opened; it is in front")
        self.tabs.append(tab)
        page.on("close", lambda _: self._gone(tab))
        self.front = tab

    def _gone(self, tab: Tab) -> None:
        if tab in self.tabs:
            self.tabs.remove(tab)
        if self.front is tab:
            self.front = self.tabs[-1] if self.tabs else None

    async def drop(self, tab: Tab) -> None:
        """Close a tab."""
        self._gone(tab)
        await tab.close()

    async def new_tab(self) -> Tab:
        """An empty tab, in front; raises `ExpectedError` where there are too many."""
        if len(self.tabs) >= MOST_TABS:
            raise ExpectedError(f"There are {MOST_TABS} tabs already; close one with action='tabs'.")
        page = await self.chromium.context.new_page()
        self._notes = [note for note in self._notes if not note.startswith("a new tab was opened")]
        return next(tab for tab in self.tabs if tab.page is page)

    async def bring(self, tab: Tab) -> None:
        """Put a tab in front."""
        if tab in self.tabs:
            self.front = tab
            await tab.page.bring_to_front()

    def numbered(self, number: int) -> Tab:
        """A tab by its number, from 1; raises `ExpectedError` where there is none."""
        if not 1 <= number <= len(self.tabs):
            raise ExpectedError(f"There is no tab {number}; there are {len(self.tabs)}.")
        return self.tabs[number - 1]

    # -- pages

    async def go(self, url: str) -> Tab:
        """Open an address in the tab in front, or in a first one; raises `UrlRefused` and what `act` does."""
        from playwright.async_api import Error

        tab = self.front or await self.new_tab()
        tab.failed.clear()
        try:
            answer = await tab.page.goto(url, timeout=_OPENS * 1_000, wait_until="domcontentloaded")
        except Error as error:
            if "has been closed" in str(error):
                raise
            if "Timeout" in type(error).__name__:
                await self._stop(tab)
            fault = self._not_opened(url, error)
            if "ERR_" in str(error) and "ERR_ABORTED" not in str(error):
                with contextlib.suppress(Error):  # the browser puts a page of its own there, a little later
                    await tab.page.wait_for_url(lambda there: there.startswith(_ERROR), timeout=2_000)
            if not tab.may_be_seen:
                await self._went_back(tab)
            raise fault from None
        if answer is not None and answer.status >= 400:
            self.note(f"the site answers {answer.status}")
        await tab.settle()
        await self.check(tab)
        return tab

    def _not_opened(self, url: str, error: Exception) -> Exception:
        said, shown = str(error), masked(url)
        turned = self._turned()
        if turned:
            return UrlRefused(f"{shown} is not shown: it leads to {turned[-1]}.")
        if "Timeout" in type(error).__name__:
            return TransientError(f"{shown} did not come within {_OPENS:g} s.")
        if "Download is starting" in said or "ERR_ABORTED" in said:
            return ExpectedError(
                f"{shown} is a download and no page; downloads are off. The tool web reads PDF and texts."
            )
        if "ERR_HTTP_RESPONSE_CODE_FAILURE" in said:
            return ExpectedError(f"{shown}: the site answers with an error and no page.")
        code = next((word for word in said.split() if "ERR_" in word), "")
        return TransientError(f"{shown} could not be opened ({code.removeprefix('net::') or 'unknown'}).")

    async def check(self, tab: Tab) -> None:
        """Leave a page that is none of the web: raises `UrlRefused`, `ExpectedError` where there was none."""
        if tab.may_be_seen:
            return
        where, turned = tab.page.url, self._turned()
        again = "; the page before is in front again" if await self._went_back(tab) else ""
        if where.startswith(_ERROR):
            why = f"it leads to {turned[-1]}" if turned else "there was no answer"
            raise ExpectedError(f"The page led to an address that could not be opened: {why}{again}.")
        raise UrlRefused(
            f"{masked(where)} is not shown: only http and https addresses may be reached{again}."
        )

    async def _went_back(self, tab: Tab) -> bool:
        """Whether a tab that shows an error shows the page before again; it is closed where it cannot."""
        from playwright.async_api import Error

        with contextlib.suppress(Error):
            await tab.page.go_back(timeout=5_000, wait_until="domcontentloaded")
        if tab.may_be_seen and tab.page.url != EMPTY:
            return True
        await self.drop(tab)
        return False

    def _turned(self) -> list[str]:
        """What the guard turned away of what pages asked for, in words; the browser's own is left out."""
        tried = {host for tab in self.tabs for host in tab.failed}
        return [f"{one_line(host)[:100]} ({why})" for host, why in self.chromium.proxy.turned.values()
                if host in tried]  # fmt: skip

    def told(self) -> list[str]:
        """What went on since the last answer."""
        notes, self._notes = self._notes, []
        turned = self._turned()
        if turned:
            more = f" and {len(turned) - 5} more" if len(turned) > 5 else ""
            notes.append(f"not loaded, since the guard refuses it: {', '.join(turned[:5])}{more}")
        for tab in self.tabs:
            tab.failed.clear()
        return notes

    async def end(self) -> None:
        """End the browser."""
        await self.chromium.end()

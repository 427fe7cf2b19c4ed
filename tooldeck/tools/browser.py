"""``browser``: pages as a person sees them, with their scripts, forms and buttons, in a real Chromium.

It opens single pages for somebody, as a person's browser does, and follows nothing by itself; so it does not
ask robots.txt, which speaks to crawlers (RFC 9309). The tool ``web`` does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.parts import Answer
from tooldeck.guards.http import looked_up
from tooldeck.guards.text import one_line
from tooldeck.guards.urls import never_reached
from tooldeck.tools.browsing.answers import (
    CHARS,
    clicked,
    element,
    page_answer,
    page_head,
    part_of,
    picture,
    told,
)
from tooldeck.tools.browsing.browsers import Browsers
from tooldeck.tools.browsing.chromium import SIZE, browser_loop, why_no_browser
from tooldeck.tools.browsing.sessions import Session
from tooldeck.tools.browsing.static import StaticPages
from tooldeck.tools.browsing.tabs import EMPTY
from tooldeck.tools.pages.fetching import Web, web_of
from tooldeck.tools.pages.reading import read_page

__all__ = ["browser"]

_ACTS = 8_000
"""Milliseconds for an element to become ready and be used."""
_MOST_HTML = 3_000_000
"""Characters of a page that are read."""
_MOST_LINKS = 200


def _available() -> bool | str:
    return why_no_browser() or True


browser = ActionTool(
    "browser",
    "A browser with one page in front: open an address, read the page as a tree with references (ref), and "
    "click and type by them. Each answer shows the page as it is then.",
    executor=browser_loop(),
    trust="untrusted",
    max_chars=60_000,
    resources=lambda _: {"the browser"},
)
"""The tool."""

Ref = Annotated[str, Field(description="The reference of an element, as the page was shown last: d1-e5.")]
Start = Annotated[int, Field(ge=0, description="From which character on, where the page is long.")]
MostChars = Annotated[int, Field(ge=200, le=50_000, description="How many characters.")]


def _what(verb: str, context: ToolContext, ref: str) -> str:
    """What a call would do to an element, for whoever approves it."""
    session = Browsers.of(context.deck).known(context.session_id)
    if session is None:
        return "nothing: no page is open"
    shown, url = session.shown(ref)
    return f"{verb} {one_line(shown)} [{one_line(ref)}]\non {one_line(url)}"


@browser.action(
    effects="network",
    idempotent=True,
    retry=2,
    target="url",
    check_input=never_reached,
    examples=[{"url": "http://example.org/form"}],
)
async def open(  # noqa: A001 - the word for it
    context: Injected[ToolContext],
    web: Injected[Web | None],
    url: Annotated[str, Field(description="The address, http or https.")],
    *,
    new_tab: Annotated[bool, Field(description="Whether to leave the page in front where it is.")] = False,
) -> Answer:
    """Open an address."""
    web = web_of(context, web)
    site = web.guard.read(url)
    await looked_up(web.guard, site)  # so that a refusal needs no browser
    if why_no_browser():
        return await StaticPages.of(context.deck).open(context.session_id, web, site.url, CHARS)
    session = await Browsers.of(context.deck).get(context.session_id, web)

    async def work() -> Answer:
        if new_tab:
            await session.new_tab()
        return await page_answer(session, await session.go(site.url))

    return await session.act(work, 25)


@browser.action(available=_available, effects="read", examples=[{"max_chars": 500}])
async def snapshot(context: Injected[ToolContext], start: Start = 0, max_chars: MostChars = CHARS) -> Answer:
    """Show the page in front as it is now; long ones in parts, go on at `next`."""
    session = await _session(context)
    return await session.act(lambda: page_answer(session, None, start, max_chars))


@browser.action(
    available=_available,
    effects="network,write",
    preview=lambda context, ref, double: _what("double-click" if double else "click", context, ref),
    examples=[{"ref": "d1-e9"}],
)
async def click(
    context: Injected[ToolContext],
    ref: Ref,
    *,
    double: Annotated[bool, Field(description="Whether to click twice.")] = False,
) -> Answer:
    """Click on an element."""
    session = await _session(context)

    async def work() -> Answer:
        locator = await element(session, ref)
        tab = session.tab
        await clicked(locator, _ACTS, double=double)
        await tab.settle()
        return await page_answer(session)

    return await session.act(work)


@browser.action(
    available=_available,
    effects="network,write",
    preview=lambda context, ref, text, submit: _what(
        f"type {text!r}{' and press Enter' if submit else ''} into", context, ref
    ),
    examples=[{"ref": "d1-e6", "text": "Hull", "submit": True}],
)
async def type(  # noqa: A001 - the word for it
    context: Injected[ToolContext],
    ref: Ref,
    text: Annotated[str, Field(max_length=20_000, description="The text; it replaces what is there.")],
    *,
    submit: Annotated[bool, Field(description="Whether to press Enter at the end.")] = False,
) -> Answer:
    """Type a text into a field."""
    session = await _session(context)

    async def work() -> Answer:
        locator = await element(session, ref)
        tab = session.tab
        await locator.fill(text, timeout=_ACTS)
        if submit:
            await locator.press("Enter", timeout=_ACTS)
        await tab.settle()
        return await page_answer(session)

    return await session.act(work)


@browser.action(
    available=_available,
    effects="network,write",
    preview=lambda context, ref, options: _what(f"choose {', '.join(map(repr, options))} in", context, ref),
    examples=[{"ref": "d1-e8", "options": ["evening"]}],
)
async def select(
    context: Injected[ToolContext],
    ref: Ref,
    options: Annotated[list[str], Field(max_length=100, description="What to choose, by name or value.")],
) -> Answer:
    """Choose in a list."""
    session = await _session(context)

    async def work() -> Answer:
        locator = await element(session, ref)
        tab = session.tab
        await locator.select_option(options, timeout=_ACTS)
        await tab.settle()
        return await page_answer(session)

    return await session.act(work)


@browser.action(available=_available, effects="network", examples=[{"to": "bottom"}, {"ref": "d1-e10"}])
async def scroll(
    context: Injected[ToolContext],
    to: Annotated[
        Literal["down", "up", "bottom", "top"], Field(description="Where to: a page further, or an end.")
    ] = "down",
    ref: Annotated[str, Field(description="In place of it: an element to bring into view.")] = "",
) -> Answer:
    """Scroll, for pages that load more as they are scrolled."""
    session = await _session(context)

    async def work() -> Answer:
        page = session.tab.page
        if ref:
            await (await element(session, ref)).scroll_into_view_if_needed(timeout=_ACTS)
        else:
            far = {"down": SIZE["height"] * 0.9, "up": -SIZE["height"] * 0.9, "bottom": 1e7, "top": -1e7}
            await page.evaluate("by => window.scrollBy({top: by, behavior: 'instant'})", far[to])
        await session.tab.settle()
        return await page_answer(session)

    return await session.act(work)


@browser.action(available=_available, effects="network", examples=[{}])
async def back(context: Injected[ToolContext]) -> Answer:
    """Go back to the page before, in the same tab."""
    session = await _session(context)

    async def work() -> Answer:
        tab = session.tab
        before = tab.page.url
        await tab.page.go_back(timeout=_ACTS, wait_until="domcontentloaded")
        if tab.page.url == EMPTY != before:
            await tab.page.go_forward(timeout=_ACTS, wait_until="domcontentloaded")
        await tab.settle()
        if tab.page.url == before:
            session.note("there is no page before this one")
        return await page_answer(session)

    return await session.act(work)


@browser.action(
    available=_available,
    effects="network",
    examples=[{"text": "Tides"}, {"text": "Loading", "gone": True, "seconds": 5}],
)
async def wait_for(
    context: Injected[ToolContext],
    text: Annotated[str, Field(min_length=1, max_length=500, description="Words on the page.")],
    *,
    gone: Annotated[bool, Field(description="Whether to wait until they are gone instead.")] = False,
    seconds: Annotated[float, Field(gt=0, le=60, description="How long at most.")] = 10.0,
) -> Answer:
    """Wait until a text is to be seen; where it does not come, the answer says so and shows the page."""
    from playwright.async_api import TimeoutError as TooLate

    session = await _session(context)

    async def work() -> Answer:
        tab = session.tab
        locator = tab.page.get_by_text(text).filter(visible=True).first
        try:
            await locator.wait_for(state="hidden" if gone else "visible", timeout=seconds * 1_000)
        except TooLate:
            still = "is still there" if gone else "has not come"
            session.note(f"after {seconds:g} s, {text!r} {still}")
        return await page_answer(session)

    return await session.act(work, seconds)


@browser.action(
    effects="read", examples=[{"ref": "d1-e4"}, {"links": True, "whole": True, "max_chars": 2_000}]
)
async def extract(
    context: Injected[ToolContext],
    ref: Annotated[str, Field(description="An element to read; empty for the page.")] = "",
    *,
    start: Start = 0,
    max_chars: MostChars = CHARS,
    links: Annotated[bool, Field(description="Whether to list the links.")] = False,
    whole: Annotated[
        bool, Field(description="Everything, with menus and the like, not only the main part.")
    ] = False,
) -> Answer:
    """Read the page, as its scripts have made it, as Markdown with links and tables."""
    if why_no_browser():
        if ref:
            raise SetupError(f"Reading one element needs a browser: {why_no_browser()}.")
        pages = StaticPages.of(context.deck)
        value, found = await pages.read(context.session_id, start, max_chars, whole=whole)
        return _extracted(value, found if links else ())
    session = await _session(context)

    async def work() -> tuple[str, dict[str, Any]]:
        tab = session.tab
        await session.check(tab)
        if ref:
            locator = await element(session, ref)
            html = await locator.evaluate(f"e => e.outerHTML.slice(0, {_MOST_HTML})")
        else:
            html = await tab.page.evaluate(f"document.documentElement.outerHTML.slice(0, {_MOST_HTML})")
        return html, await page_head(session, tab)

    html, value = await session.act(work)
    body = html.encode("utf-8", "replace")
    page = await asyncio.to_thread(
        read_page, body, "text/html; charset=utf-8", value["url"], whole=whole or bool(ref)
    )
    part, place = part_of(page.text, start, max_chars)
    value |= {**place, "text": part, "notes": [*value["notes"], *page.notes]}
    return _extracted(value, page.links if links else ())


def _extracted(value: dict[str, Any], links: Sequence[tuple[str, str]]) -> Answer:
    text = told(value, value["text"])
    if links:
        value["links"] = [{"text": words, "url": target} for words, target in links[:_MOST_LINKS]]
        text += "".join(f"\n- [{one['text']}]({one['url']})" for one in value["links"])
    return Answer(value, text)


@browser.action(available=_available, effects="read", examples=[{"full_page": True}, {"ref": "d1-e2"}])
async def screenshot(
    context: Injected[ToolContext],
    *,
    full_page: Annotated[bool, Field(description="The whole page, not only what is in view.")] = False,
    ref: Annotated[str, Field(description="One element only.")] = "",
) -> Answer:
    """Take a picture of the page."""
    session = await _session(context)

    async def work() -> Answer:
        tab = session.tab
        await session.check(tab)
        image, notes = await picture(
            tab, whole=full_page, locator=await element(session, ref) if ref else None
        )
        value = await page_head(session, tab)
        value["notes"] += notes
        return Answer(value, told(value, f"[a picture of it: {len(image.data):,} bytes]"), (image,))

    return await session.act(work, 20)


@browser.action(available=_available, effects="read", examples=[{}, {"front": 1, "shut": 2}])
async def tabs(
    context: Injected[ToolContext],
    *,
    front: Annotated[int | None, Field(description="The tab to put in front, from 1.")] = None,
    shut: Annotated[int | None, Field(description="A tab to close first, by its number before.")] = None,
) -> dict[str, Any]:
    """List the tabs, close one, put another one in front."""
    session = await _session(context)

    async def work() -> dict[str, Any]:
        chosen = None if front is None else session.numbered(front)
        if shut is not None:
            await session.drop(session.numbered(shut))
        if chosen is not None:
            await session.bring(chosen)
        listed = [
            {
                "tab": place,
                "front": tab is session.front,
                "url": tab.page.url,
                "title": await tab.page.title(),
            }
            for place, tab in enumerate(session.tabs, 1)
        ]
        return {"tabs": listed, "notes": session.told()}

    return await session.act(work)


@browser.action(effects="read", idempotent=True, examples=[{}])
async def close(context: Injected[ToolContext]) -> str:
    """Close the browser of this session, with all tabs and what sites have stored."""
    kept = StaticPages.of(context.deck).close(context.session_id)
    ended = await Browsers.of(context.deck).end(context.session_id) or kept
    return "The browser is closed." if ended else "There was no browser."


async def _session(context: ToolContext) -> Session:
    session = Browsers.of(context.deck).known(context.session_id)
    if session is None:
        raise ExpectedError("No page is open; use action='open' first.")
    return session

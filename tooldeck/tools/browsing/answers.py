"""What ``browser`` answers: where the page is, what went on, what it shows; and pictures of it."""

from __future__ import annotations

from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.core.graphemes import cut_before
from tooldeck.core.parts import Answer, Image
from tooldeck.guards.text import one_line
from tooldeck.tools.browsing.chromium import SIZE
from tooldeck.tools.browsing.outlines import kept_element
from tooldeck.tools.browsing.sessions import Session
from tooldeck.tools.browsing.snapshots import Snapshot
from tooldeck.tools.browsing.tabs import Tab

__all__ = ["CHARS", "clicked", "element", "page_answer", "page_head", "part_of", "picture", "told"]

CHARS = 10_000
"""Characters of a page's tree in one answer."""
_TALLEST = 8_000
"""CSS pixels of a whole page."""
_LARGEST = 4_000_000
"""Bytes of a picture without loss; a larger one is sent with a little."""


async def page_head(session: Session, tab: Tab) -> dict[str, Any]:
    """Where a page is, and what went on."""
    return {
        "url": tab.page.url,
        "title": await tab.page.title(),
        "tab": session.tabs.index(tab) + 1 if tab in session.tabs else 0,
        "tabs": len(session.tabs),
        "notes": session.told(),
    }


def part_of(text: str, start: int, max_chars: int) -> tuple[str, dict[str, Any]]:
    """A part of a text, ending with a line where it can, and where it lies."""
    end = cut_before(text, start + max_chars)
    if end < len(text):
        line = text.rfind("\n", start + max_chars // 2, end)
        end = line + 1 if line > 0 else end
    place: dict[str, Any] = {"start": start, "total": len(text)}
    if end < len(text):
        place["next"] = end
    return text[start:end], place


def told(value: dict[str, Any], text: str) -> str:
    """What a model reads of a page."""
    lines = [f"# {one_line(value['title'])}"] if value["title"] else []
    lines.append(value["url"] + (f" (tab {value['tab']} of {value['tabs']})" if value["tabs"] > 1 else ""))
    lines += [f"[{note}]" for note in value["notes"]]
    lines += ["", text or "[there is nothing to read here]"]
    if "next" in value:
        lines.append(
            f"[characters {value['start']} to {value['next']} of {value['total']}; go on with start]"
        )
    return "\n".join(lines)


async def page_answer(
    session: Session, tab: Tab | None = None, start: int = 0, max_chars: int = CHARS
) -> Answer:
    """The page in front as its tree, or a part of that."""
    in_front = tab is None
    tab = tab or session.tab
    await _show(session, tab)
    if in_front and session.tab is not tab:  # a window that the action opened has come only now
        tab = session.tab
        await tab.settle()
        await _show(session, tab)
    value = await page_head(session, tab)
    part, place = part_of(tab.shown.text, start, max_chars)
    value |= {**place, "snapshot": part}
    return Answer(value, told(value, part))


async def _show(session: Session, tab: Tab) -> None:
    from playwright.async_api import TimeoutError as TooLate

    await session.check(tab)
    try:
        await tab.show()
    except TooLate:
        tab.shown = Snapshot("")
        session.note(
            "the page is too large or too busy to be shown as a tree; action='extract' reads its text, "
            "action='screenshot' shows it"
        )


async def element(session: Session, ref: str) -> Any:
    """Playwright's locator or handle of an element that a reader saw.

    Raises `ExpectedError` with the page as it is now where there is no such element any more.
    """
    tab = session.tab
    await session.check(tab)
    before = tab.shown.elements.get(ref)
    if tab.shown.kept is not None:
        handle = await kept_element(tab.shown, ref)
        if handle is not None:
            return handle
    elif (now := await tab.look()).elements.get(ref) == before is not None:
        return tab.page.locator(f"aria-ref={now.own(ref)}")
    answer = await page_answer(session, tab)
    was = "is no reference that was shown" if before is None else f"was {before} and is not there any more"
    raise ExpectedError(f"{ref!r} {was}. Nothing was done; this is the page now:\n{answer.text}")


_COVER = """element => {
  const box = element.getBoundingClientRect();
  const hit = element.getRootNode().elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  if (!hit || element.contains(hit)) return "";
  return `<${hit.localName}${hit.id ? ` id="${hit.id}"` : ""}>`;
}"""


async def clicked(locator: Any, within: int, *, double: bool) -> None:
    """Click on an element that is ready within so many milliseconds.

    Raises `ExpectedError` where something lies over its middle.
    """
    from playwright.async_api import TimeoutError as TooLate

    try:
        await (locator.dblclick(timeout=within) if double else locator.click(timeout=within))
    except TooLate:
        if cover := one_line(str(await locator.evaluate(_COVER)))[:100]:
            raise ExpectedError(
                f"{cover} lies over the element and takes every click; close it or scroll first."
            ) from None
        raise


async def picture(tab: Tab, *, whole: bool, locator: Any = None) -> tuple[Image, list[str]]:
    """A picture of what a tab shows, of its whole page or of one element, and what to know about it."""
    if locator is not None:
        return await _shot(locator), []
    if not whole:
        return await _shot(tab.page), []
    height = int(await tab.page.evaluate("document.documentElement.scrollHeight"))
    if height <= _TALLEST:
        return await _shot(tab.page, full_page=True), []
    await tab.page.set_viewport_size({**SIZE, "height": _TALLEST})
    try:
        image = await _shot(tab.page)
    finally:
        await tab.page.set_viewport_size(SIZE)
    return image, [f"the page is {height} pixels tall; its first {_TALLEST} are shown"]


async def _shot(of: Any, **options: Any) -> Image:
    options |= {"animations": "disabled", "timeout": 15_000}
    data = await of.screenshot(type="png", **options)
    if len(data) <= _LARGEST:
        return Image(data)
    return Image(await of.screenshot(type="jpeg", quality=70, **options), "image/jpeg")

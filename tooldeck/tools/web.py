"""``web``: search, and pages as Markdown."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.graphemes import cut_before
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.parts import Answer
from tooldeck.guards.text import one_line
from tooldeck.guards.urls import UrlRefused, never_reached
from tooldeck.tools.pages.fetching import Web, web_of
from tooldeck.tools.pages.reading import Page, page_of
from tooldeck.tools.pages.searching import DdgsSearch, Sighting, plain

__all__ = ["web"]

_MOST_LINKS = 200

web = ActionTool(
    "web",
    "The web: search it, and read pages as text.",
    effects="network",
    idempotent=True,
    max_chars=60_000,
)
"""The tool."""


@web.action(examples=[{"query": "tides of the moon"}, {"query": "潮汐", "limit": 3}])
async def search(
    context: Injected[ToolContext],
    web: Injected[Web | None],
    query: Annotated[str, Field(min_length=1, max_length=500, description="What to look for.")],
    limit: Annotated[int, Field(ge=1, le=20, description="How many pages at most.")] = 5,
) -> Answer:
    """Find pages. An empty list means that nothing was found; a search that fails says so."""
    there = web_of(context, web)
    found = await (there.search or DdgsSearch()).search(query, limit, there)
    pages = _tidy(found, there)[:limit]
    value = {
        "query": query,
        "results": [{"title": title, "url": url, "snippet": said} for title, url, said in pages],
    }
    if not pages:
        return Answer(value, f"No results for {query!r}.")
    lines = [f"[{number}] {title}\n{url}\n{said}" for number, (title, url, said) in enumerate(pages, 1)]
    return Answer(value, "\n\n".join(lines))


def _tidy(found: list[Sighting], web: Web) -> list[tuple[str, str, str]]:
    """The pages that may be read, each once, without HTML in their words."""
    seen: dict[str, tuple[str, str, str]] = {}
    for one in found:
        try:
            url = web.guard.read(one.url).url
        except UrlRefused:
            continue
        seen.setdefault(url, (plain(one.title), url, plain(one.snippet)))
    return list(seen.values())


@web.action(
    target="url",
    check_input=never_reached,
    examples=[
        {"url": "https://example.org/moon"},
        {"url": "https://example.org/moon", "start": 20, "max_chars": 500, "links": True},
    ],
)
async def fetch(
    context: Injected[ToolContext],
    web: Injected[Web | None],
    url: Annotated[str, Field(description="The address, http or https.")],
    *,
    start: Annotated[int, Field(ge=0, description="From which character of the text on.")] = 0,
    max_chars: Annotated[int, Field(ge=100, le=50_000, description="How many characters.")] = 8_000,
    links: Annotated[bool, Field(description="Whether to list the links of the page.")] = False,
    whole: Annotated[
        bool, Field(description="The whole page, with menus and the like, and not only its main part.")
    ] = False,
) -> Answer:
    """Read a page: HTML as Markdown, and JSON, CSV, PDF and text. Long ones in parts: go on at `next`."""
    got = await web_of(context, web).page(url)
    page = await page_of(got.body, got.content_type, got.url, whole=whole)
    end = cut_before(page.text, start + max_chars)
    part = page.text[start:end]
    value: dict[str, Any] = {
        "url": got.url,
        "title": page.title,
        "kind": page.kind,
        "charset": page.charset,
        "text": part,
        "start": start,
        "total": len(page.text),
        "notes": list(page.notes),
    }
    if end < len(page.text):
        value["next"] = end
    if links:
        value["links"] = [{"text": words, "url": target} for words, target in page.links[:_MOST_LINKS]]
    return Answer(value, _told(value, page, part))


def _told(value: dict[str, Any], page: Page, part: str) -> str:
    """What a model reads: where it is, what it is, the text, and how to go on."""
    head = [f"# {one_line(page.title)}"] if page.title else []
    head += [value["url"], *page.notes]
    tail: list[str] = []
    if "next" in value:
        tail.append(f"[characters {value['start']} to {value['next']} of {value['total']}; go on with start]")
    elif not part and value["start"]:
        tail.append(f"[the text ends at character {value['total']}]")
    elif not part:
        tail.append("[the page has no text; it may be made by a script]")
    tail += [f"- [{one['text']}]({one['url']})" for one in value.get("links", ())]
    return "\n".join([*head, "", part, *([""] if tail else []), *tail])

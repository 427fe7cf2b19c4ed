"""``media``: pictures, PDF and screens: what they are, what is on them, and the words in them."""

from __future__ import annotations

import asyncio
import mimetypes
from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.core.graphemes import cut_before
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.messages import Message
from tooldeck.core.parts import Answer, File, Image
from tooldeck.guards.http import looked_up
from tooldeck.guards.paths import Workspace
from tooldeck.guards.text import one_line
from tooldeck.guards.urls import never_reached
from tooldeck.hosts.background import background
from tooldeck.tools.browsing.answers import picture as picture_of_page
from tooldeck.tools.browsing.browsers import Browsers
from tooldeck.tools.browsing.chromium import browser_loop, why_no_browser
from tooldeck.tools.kinds import media_type_of
from tooldeck.tools.pages.fetching import Web, web_of
from tooldeck.tools.seeing.decoding import MOST_BYTES, pdf_facts, pdf_images, pdf_texts, picture
from tooldeck.tools.seeing.screen import screen_picture, why_no_screen
from tooldeck.tools.seeing.words import LANGUAGES, Engine, engine_for, why_no_words, words_in

__all__ = ["media"]

_THUMBNAIL = 320
_FOR_MODELS = 1_568
"""Pixels of the longer side, beyond which the models that see make pictures smaller themselves."""
_FOR_WORDS = 4_000
_MOST_IMAGES = 5
_MOST_OCR = 10
_MODEL_SECONDS = 180.0

media = ActionTool(
    "media",
    "Pictures, PDF files and screens: what they are, what a model sees on them, the words in them.",
    executor=background(),
    trust="untrusted",
    max_chars=60_000,
)
"""The tool."""

FilePath = Annotated[str, Field(description="Path of the file, relative to the workspace.")]
Pages = Annotated[str, Field(description="Which pages, as in '1-3,7,10-'; empty for all.", max_length=200)]
Secret = Annotated[str, Field(json_schema_extra={"format": "password"})]
Password = Annotated[Secret | None, Field(description="The password of an encrypted PDF.")]


@media.action(effects="read", examples=[{"path": "pictures/lamp.png"}, {"path": "pictures/lamp.pdf"}])
async def inspect(path: FilePath, *, workspace: Injected[Workspace], password: Password = None) -> Answer:
    """Tell what a file really is: kind, size, pixels, what the camera wrote down, pages, with a thumbnail."""
    data, kind = await _read(workspace, path)
    value: dict[str, Any] = {"path": path, "kind": kind or "unknown", "bytes": len(data)}
    named = mimetypes.guess_type(path)[0]
    if kind and named and named != kind:
        value["notes"] = [f"its name says {named}"]
    parts: tuple[Image, ...] = ()
    if kind.startswith("image/"):
        facts, small = await picture(data, repr(path), side=_THUMBNAIL)
        parts = (Image(small, facts.pop("mime")),)
        value |= facts
    elif kind == "application/pdf":
        value |= await pdf_facts(data, repr(path), password)
    return Answer(value, "\n".join(f"{name}: {_told(one)}" for name, one in value.items() if one), parts)


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{one_line(str(name))} {one_line(str(one))}" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@media.action(
    effects="read,network,model",
    examples=[{"path": "pictures/lamp.png", "question": "What colour is it?"}],
)
async def describe(
    path: FilePath,
    *,
    context: Injected[ToolContext],
    workspace: Injected[Workspace],
    question: Annotated[
        str, Field(max_length=2_000, description="What to look for.")
    ] = "Describe what is to be seen, and give the words on it.",
    page: Annotated[int, Field(ge=1, description="Which page of a PDF.")] = 1,
) -> Answer:
    """Let the deck's model look at a picture, or a page of a PDF, and say what it sees.

    Where the deck has no model of its own, the model that asks is given the picture.
    """
    data, kind = await _read(workspace, path)
    if kind == "application/pdf":
        _, drawn = await pdf_images(data, repr(path), pages=str(page), most=1, dpi=150)
        data = drawn[0][1]
    facts, small = await picture(data, repr(path), side=_FOR_MODELS)
    image = Image(small, facts["mime"])
    if context.deck.model is not None:
        asked = Message("user", question, parts=(image,))
        reply = await context.deck.acomplete([asked], seconds=_MODEL_SECONDS)
        return Answer({"path": path, "seen": reply.text, "model": reply.model}, reply.text)
    if context.call.caller.run is None:
        raise SetupError(
            "There is no model here to look at it: give the deck one that sees pictures, "
            "deck.model = tooldeck.loops.openai_chat('gpt-5'). The actions inspect and ocr need none."
        )
    return Answer({"path": path}, f"This is {path}. {question}", (image,))


@media.action(
    effects="read",
    available=lambda: why_no_words() or True,
    examples=[{"path": "pictures/lamp.png"}],
)
async def ocr(
    path: FilePath,
    *,
    workspace: Injected[Workspace],
    pages: Annotated[str, Field(description="Pages of a PDF, as in '1-3,7'.", max_length=200)] = "1",
    language: Annotated[
        str, Field(pattern=LANGUAGES, description="For tesseract: eng, deu, eng+deu, chi_sim, ….")
    ] = "eng",
    engine: Annotated[Engine, Field(description="What reads; auto takes tesseract first.")] = "auto",
) -> Answer:
    """Read the words in a picture, or on scanned pages of a PDF."""
    data, kind = await _read(workspace, path)
    reader = engine_for(engine)
    if kind == "application/pdf":
        total, drawn = await pdf_images(data, repr(path), pages=pages, most=_MOST_OCR, dpi=200)
        notes = (
            [f"of {total} pages, {_MOST_OCR} at most are read at a time"] if len(drawn) == _MOST_OCR else []
        )
    else:
        _, png = await picture(data, repr(path), side=_FOR_WORDS, png=True)
        drawn, notes = [(1, png)], []
    found = [(number, await words_in(png, repr(path), reader, language)) for number, png in drawn]
    value = {
        "path": path,
        "engine": reader,
        "pages": [{"page": number, "text": text, "chars": len(text)} for number, text in found],
        "notes": notes,
    }
    if not any(text for _, text in found):
        return Answer(value, "No words were found.")
    heads = kind == "application/pdf"
    texts = [f"## Page {number}\n\n{text}" if heads else text for number, text in found]
    return Answer(value, "\n\n".join([*(f"[{note}]" for note in notes), *texts]))


@media.action(
    effects="read",
    examples=[{"path": "pictures/lamp.pdf"}, {"path": "pictures/lamp.pdf", "pages": "1", "max_chars": 500}],
)
async def pdf_text(
    path: FilePath,
    *,
    workspace: Injected[Workspace],
    pages: Pages = "",
    start: Annotated[int, Field(ge=0, description="From which character of that text on.")] = 0,
    max_chars: Annotated[int, Field(ge=100, le=50_000, description="How many characters.")] = 10_000,
    password: Password = None,
) -> Answer:
    """Read the text of a PDF page by page. Long ones in parts: go on at `next`."""
    data, kind = await _read(workspace, path)
    _check_pdf(path, kind)
    total, read = await pdf_texts(data, repr(path), pages=pages, password=password)
    empty = [one.page for one in read if not one.text.strip()]
    notes: list[str] = []
    if len(empty) == len(read):
        scan = (
            "; there are pictures on them, so it may be a scan" if any(one.pictures for one in read) else ""
        )
        notes.append(f"none of these pages has text{scan}: action='ocr' reads words in pictures")
    elif empty:
        notes.append(f"pages without text: {', '.join(map(str, empty[:50]))}")
    text = "\n\n".join(f"## Page {one.page}\n\n{one.text.strip()}" for one in read if one.text.strip())
    end = cut_before(text, start + max_chars)
    value: dict[str, Any] = {
        "path": path, "pages": total, "text": text[start:end], "start": start, "total": len(text),
        "chars": {str(one.page): len(one.text) for one in read}, "notes": notes,
    }  # fmt: skip
    tail = ""
    if end < len(text):
        value["next"] = end
        tail = f"\n[characters {start} to {end} of {len(text)}; go on with start]"
    head = f"{path}, {total} pages" + "".join(f"\n[{note}]" for note in notes)
    return Answer(value, f"{head}\n\n{text[start:end]}{tail}")


@media.action(effects="read", examples=[{"path": "pictures/lamp.pdf", "pages": "1", "dpi": 50}])
async def pdf_pages(
    path: FilePath,
    *,
    workspace: Injected[Workspace],
    pages: Annotated[str, Field(description="Which pages, as in '1-3,7'; five at most.")] = "1",
    dpi: Annotated[int, Field(ge=20, le=300, description="Dots per inch.")] = 100,
    password: Password = None,
) -> Answer:
    """Show pages of a PDF as pictures."""
    data, kind = await _read(workspace, path)
    _check_pdf(path, kind)
    total, drawn = await pdf_images(
        data, repr(path), pages=pages, most=_MOST_IMAGES, dpi=dpi, password=password
    )
    numbers = [number for number, _ in drawn]
    value = {"path": path, "pages": total, "shown": numbers}
    told = f"{path}, {total} pages; shown: {', '.join(map(str, numbers))}"
    return Answer(value, told, tuple(Image(png) for _, png in drawn))


@media.action(
    effects="network",
    target="url",
    check_input=never_reached,
    available=lambda: why_no_browser() or True,
    examples=[{"url": "http://example.org/form", "full_page": True}],
)
async def screenshot(
    context: Injected[ToolContext],
    web: Injected[Web | None],
    url: Annotated[str, Field(description="The address, http or https.")],
    *,
    full_page: Annotated[bool, Field(description="The whole page, not only its beginning.")] = False,
) -> Answer:
    """Take a picture of a page, in a browser of its own; it is kept for the person as well."""
    web = web_of(context, web)
    site = web.guard.read(url)
    await looked_up(web.guard, site)
    job = browser_loop().submit(_shot, context, web, site.url, whole=full_page)
    value, image = await asyncio.wrap_future(job)
    told = [one_line(value["title"]), value["url"], *(f"[{note}]" for note in value["notes"])]
    return _shown(value, "\n".join(filter(None, told)), image, "page")


async def _shot(context: ToolContext, web: Web, url: str, *, whole: bool) -> tuple[dict[str, Any], Image]:
    """A picture of a page, by a browser that is kept for further ones."""
    session = await Browsers.of(context.deck).get(f"{context.session_id} pictures", web)

    async def work() -> tuple[dict[str, Any], Image]:
        tab = await session.new_tab()
        try:
            await session.go(url)
            image, notes = await picture_of_page(tab, whole=whole)
            title = await tab.page.title()
            return {"url": tab.page.url, "title": title, "notes": [*session.told(), *notes]}, image
        finally:
            await session.drop(tab)

    return await session.act(work, 40)


@media.action(effects="read", risk="high", ask=True, available=lambda: why_no_screen() or True, examples=[{}])
async def screen(context: Injected[ToolContext]) -> Answer:
    """Take a picture of all screens of this machine; it is kept for the person as well."""
    png, width, height = await asyncio.to_thread(screen_picture)
    _, small = await picture(png, "the screen", side=_FOR_MODELS, png=True)
    value = {"width": width, "height": height}
    return _shown(value, f"The screen, {width} by {height} pixels.", Image(small), "screen")


def _shown(value: dict[str, Any], told: str, image: Image, name: str) -> Answer:
    ending = image.mime.removeprefix("image/")
    return Answer(value, told, (image,), (File(f"{name}.{ending}", image.data, image.mime),))


async def _read(workspace: Workspace, path: str) -> tuple[bytes, str]:
    """The bytes of a file, and what they are."""
    data = await asyncio.to_thread(workspace.read, path, MOST_BYTES)
    return data, media_type_of(data)


def _check_pdf(path: str, kind: str) -> None:
    if kind != "application/pdf":
        raise ExpectedError(f"{path!r} is no PDF{f' but {kind}' if kind else ''}.")

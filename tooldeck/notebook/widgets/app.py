"""The page of an MCP server below a result: in a sandboxed frame, fed and answered by the kernel.

The page is no part of what is stored. It is sent to a view that asks for it, so without a kernel nothing runs
and the card shows the result as text.
"""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, Protocol, cast

import ipywidgets
import traitlets

from tooldeck import __version__
from tooldeck.core.rate import Bucket, RateSettings
from tooldeck.core.strangers import error_words
from tooldeck.guards.text import visible
from tooldeck.mcp.app_pages import Page, frame
from tooldeck.mcp.apps import App
from tooldeck.notebook.pieces import code, panel, shown
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces
from tooldeck.notebook.widgets._tray import Tray

__all__ = ["AppCard", "AppView", "Desk"]

MOST_BYTES = 2_000_000
"""Bytes of one message to a page: a notebook server drops what comes faster than 3 million in 3 seconds."""
_MOST_OPEN = 4
"""Wishes of one app that are worked on at the same time."""
_RATE = RateSettings(2, burst=10)
"""How often one app may wish for something, and how often it may say something."""
_MOST_SAID, _MOST_LOGGED, _MOST_SAID_CHARS = 5, 20, 4_000
_MOST_TEXT = 20_000

Show = Callable[[Any], None]


class Desk(Protocol):
    """Does what apps ask for; each starts it and gives its end."""

    def page(self, app: App) -> Future[Page]:
        """Read the page of an app."""
        ...

    def call(self, app: App, name: str, arguments: Mapping[str, Any], show: Show) -> Future[dict[str, Any]]:
        """Call a tool of the app's server; a question about it is shown by `show`."""
        ...

    def read(self, app: App, uri: str) -> Future[dict[str, Any]]:
        """Read a resource of the app's server."""
        ...


class AppView(Panel):
    """The frame. Questions about calls of the page are shown by `show`."""

    _esm = script("app")
    _css = style("app")
    app = traitlets.Dict().tag(sync=True)

    def __init__(self, app: App, desk: Desk, show: Show) -> None:
        self._about = app
        self._desk = desk
        self._show = show
        self._lock = threading.Lock()
        self._open = 0
        self._wishes = Bucket(_RATE, time.monotonic)
        self._words = Bucket(_RATE, time.monotonic)
        self.said: list[str] = []
        """What the page said to the person, the last few. Nobody else is told."""
        self.logged: list[str] = []
        """What it wrote into its log, the last lines."""
        self._page: Page | None = None
        super().__init__()
        self._tell()

    def _tell(self) -> None:
        app, page = self._about, self._page
        self.app = {
            "server": shown_pieces(app.server),
            "uri": shown_pieces(app.uri),
            "text": shown_pieces(_text_of(app.answer)[:_MOST_TEXT]),
            "loads": [] if page is None else list(map(shown_pieces, page.reach)),
            "refused": [] if page is None else list(map(shown_pieces, page.refused)),
            "said": list(map(shown_pieces, self.said)),
            "logged": list(map(shown_pieces, self.logged)),
        }

    # --- what a page in the browser says -------------------------------------------------------

    def heard(self, content: dict[str, Any]) -> None:
        """A view wants the page, or passes on what the app wants; whatever else it says is ignored."""
        view, kind = content.get("view"), content.get("type")
        if not isinstance(view, str) or len(view) > 64:
            return
        if kind == "open":
            self._started(partial(self._desk.page, self._about), partial(self._opened, view))
        elif kind in ("call", "read") and isinstance(content.get("id"), int):
            self._wants(view, content)
        elif kind in ("say", "log") and isinstance(content.get("text"), str) and self._words.take(0)[0]:
            text = content["text"][:_MOST_SAID_CHARS]
            if kind == "say":
                self.said = [*self.said, text][-_MOST_SAID:]
            else:
                self.logged = [*self.logged, text][-_MOST_LOGGED:]
            self._tell()

    @staticmethod
    def _started(start: Callable[[], Future[Any]], done: Callable[[Future[Any]], None]) -> None:
        """Start something whose end is told on whichever thread; that it cannot start is an end as well."""
        try:
            future = start()
        except Exception as fault:  # noqa: BLE001 - told on the card
            future = Future[Any]()
            future.set_exception(fault)
        future.add_done_callback(done)

    def _opened(self, view: str, future: Future[Page]) -> None:
        fault = _fault_of(future)
        if fault is not None:
            self._trouble(view, error_words(fault))
            return
        page, app = future.result(), self._about
        told = {
            "version": __version__,
            "domains": page.domains,
            "page": frame(page),
            "input": dict(app.arguments),
            "result": app.answer,
        }
        packed = gzip.compress(_json(told).encode("ascii"), 6)
        if len(packed) > MOST_BYTES:
            self._trouble(view, f"the page has {len(packed)} bytes; a notebook passes on {MOST_BYTES}")
            return
        self._page = page
        self._tell()
        self.send({"type": "page", "view": view}, [packed])

    def _trouble(self, view: str, why: str) -> None:
        self.send({"type": "trouble", "view": view, "why": shown_pieces(why)})

    # --- what the page wants of its server -----------------------------------------------------

    def _wants(self, view: str, content: dict[str, Any]) -> None:
        number, start = content["id"], self._wish(content)
        if start is None:
            self._answer(view, number, fault="It takes a name and an object of arguments, or an address.")
            return
        with self._lock:
            free = self._open < _MOST_OPEN and self._wishes.take(0)[0]
            self._open += free
        if not free:
            self._answer(view, number, fault="Too many at once; wait a moment.")
            return
        self._started(start, partial(self._granted, view, number))

    def _wish(self, content: dict[str, Any]) -> Callable[[], Future[Any]] | None:
        """What starts the work that is asked for; None for a wish that makes no sense."""
        name, uri, given = content.get("name"), content.get("uri"), content.get("arguments")
        if content["type"] == "read":
            return partial(self._desk.read, self._about, uri) if isinstance(uri, str) else None
        arguments: Any = {} if given is None else given
        if not isinstance(name, str) or not isinstance(arguments, dict):
            return None
        return partial(self._desk.call, self._about, name, cast("dict[str, Any]", arguments), self._show)

    def _granted(self, view: str, number: int, future: Future[dict[str, Any]]) -> None:
        with self._lock:
            self._open -= 1
        fault = _fault_of(future)
        if fault is not None:
            self._answer(view, number, fault=error_words(fault))
        else:
            self._answer(view, number, result=future.result())

    def _answer(self, view: str, number: int, *, result: Any = None, fault: str = "") -> None:
        reply: dict[str, Any] = {"error": {"code": -32000, "message": fault}} if fault else {"result": result}
        text = _json(reply)
        if len(text) > MOST_BYTES:
            text = _json({"error": {"code": -32000, "message": "The answer is too long for a notebook."}})
        self.send({"type": "answer", "view": view, "id": number, "reply": text})

    # --- saved forms ---------------------------------------------------------------------------

    def text(self) -> str:
        """One line; the result itself stands above."""
        app = self._about
        return visible(f"App of server {app.server}: {app.uri} (it runs only beside its kernel)")

    def html(self) -> str:
        """The same as static HTML."""
        app = self._about
        note = shown("it runs only beside its kernel")
        return panel(f"App of server {code(app.server)}: {code(app.uri)} ({note})")


class AppCard(ipywidgets.VBox):
    """The app of a result, with the questions about its calls below it."""

    def __init__(self, app: App, desk: Desk) -> None:
        tray = Tray()
        self.view = AppView(app, desk, tray.put)
        super().__init__([self.view, tray])
        self.add_class("td-appcard")

    def __repr__(self) -> str:
        return self.view.text()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        return {**bundle, "text/plain": repr(self), "text/html": self.view.html()}


def _fault_of(future: Future[Any]) -> BaseException | None:
    return CancelledError("it was given up") if future.cancelled() else future.exception()


def _text_of(answer: Mapping[str, Any]) -> str:
    """The result as text, for those who do not see the page."""
    blocks = cast("list[Any]", answer.get("content") or [])
    told = [one["text"] for one in blocks if isinstance(one, dict) and isinstance(one.get("text"), str)]
    return "\n".join(told) or _json(answer.get("structuredContent"))


def _json(value: Any) -> str:
    """JSON of ASCII characters only, which passes every transport; what JSON cannot hold is null."""
    try:
        return json.dumps(value, allow_nan=False, default=str)
    except ValueError:
        return json.dumps(json.loads(json.dumps(value, default=str), parse_constant=lambda _: None))

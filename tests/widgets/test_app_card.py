"""The card of an MCP server's page: what the frame is sent, what the page may ask for, what is kept."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import Future
from typing import Any

import pytest
from widget_parts import NASTY

from tooldeck.mcp.app_pages import Page
from tooldeck.mcp.apps import App
from tooldeck.mcp.errors import McpError
from tooldeck.notebook.widgets import app as module
from tooldeck.notebook.widgets.app import AppCard

ANSWER = {"content": [{"type": "text", "text": NASTY}], "structuredContent": {"a": float("nan")}}
APP = App("clock", "uvx clock", "get_time", "ui://clock/app.html", {"zone": "utc"}, ANSWER)


class Desk:
    """Starts what apps ask for; a test ends it."""

    def __init__(self) -> None:
        self.pages: list[Future[Page]] = []
        self.wishes: list[tuple[Any, ...]] = []
        self.ends: list[Future[dict[str, Any]]] = []
        self.show: Any = None

    def page(self, app: App) -> Future[Page]:
        self.pages.append(Future())
        return self.pages[-1]

    def call(self, app: App, name: str, arguments: Any, show: Any) -> Future[dict[str, Any]]:
        self.show = show
        return self._begun("call", name, arguments)

    def read(self, app: App, uri: str) -> Future[dict[str, Any]]:
        if uri == "gone:":
            raise McpError("The MCP server 'clock' is not connected.", "clock")
        return self._begun("read", uri)

    def _begun(self, *wish: Any) -> Future[dict[str, Any]]:
        self.wishes.append(wish)
        self.ends.append(Future())
        return self.ends[-1]


class View:
    """One view of a card on some screen."""

    def __init__(self, card: AppCard) -> None:
        self.widget = card.view
        self.sent: list[tuple[dict[str, Any], list[bytes]]] = []
        self.widget.send = lambda content, buffers=None: self.sent.append((content, buffers or []))

    def say(self, kind: str, **content: Any) -> None:
        self.widget._handle_custom_msg({"type": kind, "view": "v", **content}, [])

    def replies(self) -> dict[int, Any]:
        return {said["id"]: json.loads(said["reply"]) for said, _ in self.sent if said["type"] == "answer"}


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def card(desk: Desk) -> AppCard:
    return AppCard(APP, desk)


@pytest.fixture
def view(card: AppCard) -> View:
    return View(card)


def shown(pieces: list[list[Any]]) -> str:
    return "".join(text for text, _ in pieces)


def test_the_page_goes_to_the_view_that_asks_and_is_no_part_of_what_is_stored(desk, card, view):
    view.say("open")
    desk.pages[0].set_result(Page("<h1>12:00</h1>", {"connectDomains": ("https://a.example.com",)}, ("*",)))
    ((said, (packed,)),) = view.sent
    assert said == {"type": "page", "view": "v"}
    told = json.loads(gzip.decompress(packed))
    assert "&lt;h1&gt;12:00" in told["page"]
    assert told["input"] == {"zone": "utc"}
    assert told["result"]["structuredContent"] == {"a": None}
    assert "12:00" not in str(card.view.get_state())
    assert [shown(one) for one in card.view.app["loads"]] == ["https://a.example.com"]
    assert [shown(one) for one in card.view.app["refused"]] == ["*"]


@pytest.mark.parametrize("end", ["fails", "cancelled", "long"])
def test_a_page_that_cannot_be_had_says_why(desk, view, end, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    view.say("open")
    if end == "fails":
        desk.pages[0].set_exception(McpError(f"no page {NASTY}", "clock"))
    elif end == "cancelled":
        desk.pages[0].cancel()
    else:
        desk.pages[0].set_result(Page("<p>"))
    ((said, _),) = view.sent
    assert said["type"] == "trouble"
    why = {"fails": "no page <script>", "cancelled": "given up", "long": "a notebook passes on 100"}[end]
    assert why in shown(said["why"])
    assert "\u202e" not in shown(said["why"])


def test_calls_and_reads_are_started_and_answered_under_their_numbers(desk, card, view):
    view.say("call", id=1, name="set", arguments={"x": 1})
    view.say("read", id=2, uri="clock://zones")
    view.say("call", id=3, name="now")
    view.say("read", id=4, uri="gone:")
    assert desk.wishes == [("call", "set", {"x": 1}), ("read", "clock://zones"), ("call", "now", {})]
    desk.ends[1].set_result({"contents": []})
    desk.ends[0].set_exception(McpError("no", "clock"))
    desk.ends[2].cancel()
    replies = view.replies()
    assert replies[2] == {"result": {"contents": []}}
    assert "no" in replies[1]["error"]["message"]
    assert "given up" in replies[3]["error"]["message"]
    assert "not connected" in replies[4]["error"]["message"]
    assert desk.show == card.children[1].put


@pytest.mark.parametrize(
    "wish",
    [
        {"kind": "call", "name": 3},
        {"kind": "call", "name": "a", "arguments": [1]},
        {"kind": "call", "name": "a", "arguments": "x"},
        {"kind": "call"},
        {"kind": "read", "uri": None},
        {"kind": "read"},
    ],
)
def test_a_wish_that_makes_no_sense_is_answered_with_an_error(desk, view, wish):
    view.say(id=1, **wish)
    assert "error" in view.replies()[1]
    assert desk.wishes == []


def test_other_messages_are_ignored(desk, view):
    view.say("call", id="1", name="a")
    view.say("nothing")
    view.say("say", text=1)
    view.widget._handle_custom_msg({"type": "open", "view": "v" * 100}, [])
    view.widget._handle_custom_msg({"type": "open"}, [])
    view.widget._handle_custom_msg(["open"], [])
    assert (view.sent, desk.pages, desk.wishes) == ([], [], [])


def test_a_page_that_asks_for_much_at_once_waits(desk, view):
    for number in range(1, 7):
        view.say("call", id=number, name="slow")
    assert len(desk.wishes) == 4
    assert [number for number, reply in view.replies().items() if "Too many" in str(reply)] == [5, 6]
    desk.ends[0].set_result({})
    view.say("call", id=7, name="slow")
    assert len(desk.wishes) == 5


def test_an_answer_too_long_for_a_notebook_becomes_an_error(desk, view, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    view.say("call", id=1, name="big")
    desk.ends[0].set_result({"content": "x" * 200})
    assert "too long" in view.replies()[1]["error"]["message"]


def test_what_a_page_says_is_kept_within_limits_and_nothing_in_it_is_hidden(card, view):
    for number in range(8):
        view.say("say", text=f"{number} {NASTY}")
    for _ in range(50):
        view.say("log", text="x" * 10_000)
    assert [shown(one)[0] for one in card.view.app["said"]] == ["3", "4", "5", "6", "7"]
    assert "\u202e" not in str(card.view.app)
    assert 1 <= len(card.view.app["logged"]) <= 3
    assert len(shown(card.view.app["logged"][0])) == 4_000


def test_the_saved_forms_say_whose_page_it_is(card):
    assert repr(card) == "App of server clock: ui://clock/app.html (it runs only beside its kernel)"
    bundle = card._repr_mimebundle_()
    assert bundle["text/plain"] == repr(card)
    assert "ui://clock/app.html" in bundle["text/html"]
    hostile = AppCard(App("clock", "", "t", f"ui://{NASTY}", {}, {}), Desk())
    assert "<script>" not in hostile._repr_mimebundle_()["text/html"]
    assert "\u202e" not in repr(hostile)


def test_open_questions_stay_in_the_tray_and_answered_ones_make_room(card):
    import ipywidgets

    class Question(ipywidgets.VBox):
        def __init__(self, phase: str) -> None:
            super().__init__()
            self.phase = phase

    tray = card.children[1]
    waiting = Question("waiting")
    tray.put(waiting)
    for _ in range(6):
        tray.put(Question("approved"))
    assert tray.children[0] is waiting
    assert len(tray.children) == 5

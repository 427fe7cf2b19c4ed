"""MCP Apps: pages of servers, and what they may ask for."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from mcp.server.apps import Apps, ResourceCsp, client_supports_apps
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resources import BinaryResource

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.vocabulary import Source, Status
from tooldeck.deck import Deck
from tooldeck.mcp import app_pages
from tooldeck.mcp.app_calls import AppCalls
from tooldeck.mcp.app_pages import Page, frame, policy, read_page
from tooldeck.mcp.errors import McpError
from tooldeck.serve.exposure import read_exposure
from tooldeck.serve.host import ServedHost

LIMIT = 30.0
CLOCK = "ui://clock/app.html"
ALLOWED = ("https://a.example.com", "wss://*.example.org:8443")
REFUSED = (
    "http://a.example.com",
    "https://localhost:8888",
    "https://nas.local",
    "https://127.0.0.1",
    "https://x.example.com; script-src *",
    "*",
    "'self'",
)


def make_server() -> MCPServer:
    apps = Apps()

    @apps.tool(resource_uri=CLOCK, description="The time.")
    def get_time(ctx: Context, zone: str = "utc") -> dict[str, Any]:
        return {"zone": zone, "pages": client_supports_apps(ctx)}

    @apps.tool(resource_uri=CLOCK, visibility=["app"], description="Set it.")
    def set_time(time: str) -> str:
        if time == "never":
            raise ToolError("that is no time")
        return f"it is {time}"

    @apps.tool(resource_uri=CLOCK, visibility=["model"], description="For models.")
    def think() -> str:
        return "thought"

    apps.add_html_resource(
        CLOCK, "<h1>12:00</h1>", csp=ResourceCsp(connect_domains=[*ALLOWED, *REFUSED], frame_domains=[])
    )
    server = MCPServer("clock", extensions=[apps])

    @server.tool(meta={"ui/resourceUri": "ui://clock/old"})
    def old() -> str:
        """A tool that names its page as was usual before."""
        return "old"

    @server.tool(meta={"ui": {"resourceUri": "https://elsewhere.example.com"}})
    def elsewhere() -> str:
        """A tool with a page that is none of the server."""
        return "plain"

    @server.resource("ui://clock/old", mime_type="text/html")
    def no_app() -> str:
        return "<h1>just HTML</h1>"

    @server.resource("clock://zones", mime_type="text/plain")
    def zones() -> str:
        return "utc"

    for name, data in (("bytes", b"\xff\xfe"), ("packed", "<p>ä</p>".encode())):
        mime = 'Text/HTML; profile="mcp-app"'
        server.add_resource(BinaryResource(uri=f"ui://clock/{name}", name=name, mime_type=mime, data=data))
    return server


class Person:
    """Answers questions and remembers them."""

    def __init__(self) -> None:
        self.says = True
        self.asked: list[ApprovalRequest] = []

    async def __call__(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        return Decision(approved=self.says, note="" if self.says else "not now")


class AskingHost(ServedHost):
    def __init__(self, person: Person) -> None:
        super().__init__()
        self.ask = person  # type: ignore[method-assign] - one callable for both


@pytest.fixture
def person():
    return Person()


@pytest.fixture
def deck(person):
    made = Deck(approver=person)
    made.mcp.handlers.shows_apps = True
    yield made
    made.close()


@pytest.fixture
def made(deck):
    return deck.mcp.connect(make_server(), label="clock")


@pytest.fixture
def calls(deck, person):
    return AppCalls(deck, AskingHost(person))


def app_of(made):
    return made["get_time"](zone="cet").app


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("shows", [True, False])
def test_a_server_is_told_that_pages_are_shown_where_they_are_and_nowhere_else(person, mode, shows):
    deck = Deck(approver=person)
    try:
        deck.mcp.handlers.shows_apps = shows
        made = deck.mcp.connect(make_server(), label="clock", mode=mode)
        assert made["get_time"]().data["pages"] is shows
    finally:
        deck.close()


def test_a_tool_knows_its_page_in_the_present_spelling_and_the_one_before(made):
    assert made["get_time"].page == made["set_time"].page == CLOCK
    assert made["old"].page == "ui://clock/old"
    assert made["elsewhere"].page == ""


def test_a_result_carries_its_page_and_the_whole_answer(made):
    app = app_of(made)
    assert (app.server, app.tool, app.uri, app.arguments) == ("clock", "get_time", CLOCK, {"zone": "cet"})
    assert app.answer["structuredContent"] == {"zone": "cet", "pages": True}
    assert app.answer["content"][0]["type"] == "text"
    assert made["elsewhere"]().app is None


def test_what_is_for_pages_only_is_kept_from_models(deck, made):
    shown = {tool["function"]["name"] for tool in deck.export("openai")}
    assert shown == {"get_time", "think", "old", "elsewhere"}
    assert "set_time" not in {tool.name for tool in deck.search_tools("set time", 10)}
    call = {"id": "1", "name": made["set_time"].name, "arguments": '{"time": "noon"}'}
    (answer,) = deck.answer([call])
    assert "There is no tool" in str(answer)
    assert "it is noon" not in str(answer)
    assert made["set_time"](time="noon").text == "it is noon"


def test_a_served_deck_does_not_pass_on_what_is_for_pages_only(made):
    exposure = read_exposure(allow=["get_time", "set_time"])
    assert exposure.of(made["get_time"]) is made["get_time"]
    assert exposure.of(made["set_time"]) is None


def test_the_page_is_read_with_the_origins_that_may_be_reached(made):
    page = made.session.executor.submit(read_page, made.session, CLOCK).result(LIMIT)
    assert page.html == "<h1>12:00</h1>"
    assert page.reach == ALLOWED
    assert page.refused == REFUSED


def test_a_page_may_come_as_bytes(made):
    page = made.session.executor.submit(read_page, made.session, "ui://clock/packed").result(LIMIT)
    assert page == Page("<p>ä</p>", dict.fromkeys(page.domains, ()))


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("ui://clock/old", "is no page of an MCP App: it is 'text/html'"),
        ("ui://clock/bytes", "no UTF-8"),
        ("ui://clock/none", "ui://clock/none"),
    ],
)
def test_what_is_no_page_is_refused_with_the_reason(made, uri, why):
    with pytest.raises(McpError, match=re.escape(why)):
        made.session.executor.submit(read_page, made.session, uri).result(LIMIT)


def test_names_of_origins_are_read_to_a_length_that_origins_have():
    page = app_pages._page("", {"connectDomains": ["https://" + "a." * 1_000_000]})
    assert [len(name) for name in page.refused] == [300]


def test_a_page_too_long_is_refused(made, monkeypatch):
    monkeypatch.setattr(app_pages, "MOST_CHARS", 5)
    with pytest.raises(McpError, match="more than 5 characters"):
        made.session.executor.submit(read_page, made.session, CLOCK).result(LIMIT)


def test_a_page_that_declares_nothing_reaches_nothing():
    rules = dict(rule.split(" ", 1) for rule in policy({}).split("; "))
    assert rules["default-src"] == rules["connect-src"] == rules["frame-src"] == "'none'"
    assert rules["form-action"] == rules["base-uri"] == rules["object-src"] == "'none'"
    assert not re.search(r"https?:|wss?:|\*|'self'", policy({}))


def test_a_page_cannot_end_the_attribute_that_holds_it():
    hostile = Page('"></iframe><script>parent.pwned=1</script><iframe srcdoc="')
    outer = frame(hostile)
    assert outer.count("<iframe") == outer.count("</iframe>") == 1
    assert "parent.pwned" in outer
    assert "<script>parent" not in outer
    assert 'sandbox="allow-scripts"' in outer


async def test_a_page_calls_tools_of_its_server_and_the_person_hears_who_asks(deck, made, calls, person):
    app = app_of(made)
    person.asked.clear()
    answer = await calls.call(app, "set_time", {"time": "noon"})
    assert answer["content"] == [{"type": "text", "text": "it is noon"}]
    assert answer["isError"] is False
    (request,) = person.asked
    assert request.call.caller.source is Source.APP
    assert request.call.caller.label == "a page of server clock"
    assert deck.history()[-1].call.caller.source is Source.APP


async def test_what_goes_wrong_in_a_call_is_told_to_the_page_as_a_result(made, calls, person):
    app = app_of(made)
    for arguments, why in (({"time": "never"}, "that is no time"), ({"hour": 1}, "time")):
        answer = await calls.call(app, "set_time", arguments)
        assert answer["isError"] is True
        assert why in answer["content"][0]["text"]
    person.says = False
    answer = await calls.call(app, "set_time", {"time": "noon"})
    assert answer["isError"] is True
    assert "not now" in answer["content"][0]["text"]


@pytest.mark.parametrize("name", ["think", "note", "clock__think", "nothing", ""])
async def test_a_page_calls_neither_tools_for_models_nor_those_of_others(deck, made, calls, person, name):
    @deck.tool(effects="none")
    def note() -> str:
        """A tool of the notebook."""
        return "noted"

    app = app_of(made)
    before = len(deck.history())
    with pytest.raises(McpError, match="for its apps"):
        await calls.call(app, name, {})
    assert len(deck.history()) == before


async def test_a_denied_tool_stays_denied_for_pages(deck, made, calls, person):
    app = app_of(made)
    deck.policy.deny(made["set_time"].name)
    answer = await calls.call(app, "set_time", {"time": "noon"})
    assert answer["isError"] is True
    assert deck.history()[-1].status is Status.DENIED


def test_a_page_reads_resources_of_its_server(made, calls):
    app = app_of(made)
    found = made.session.executor.submit(calls.read, app, "clock://zones").result(LIMIT)
    assert found["contents"][0]["text"] == "utc"
    with pytest.raises(McpError):
        made.session.executor.submit(calls.read, app, "file:///etc/passwd").result(LIMIT)


async def test_the_page_of_a_server_that_has_gone_gets_nothing(deck, made, calls):
    app = app_of(made)
    await deck.mcp.aclose("clock")
    with pytest.raises(McpError, match="not connected"):
        await calls.call(app, "set_time", {"time": "noon"})


def test_another_server_under_the_same_label_is_not_taken_for_it(deck, made, calls, raw):
    app = app_of(made)
    deck.mcp.close("clock")
    deck.mcp.connect(raw(), label="clock")
    with pytest.raises(McpError, match="not connected"):
        asyncio.run(calls.call(app, "echo", {}))

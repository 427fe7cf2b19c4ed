"""Pages of MCP servers (MCP Apps) in JupyterLab: shown, heard through the deck's rules, and kept in."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import FrameLocator, Locator, expect
from rig.lab import Lab

SERVER = Path(__file__).parents[1] / "mcp" / "servers" / "apps.py"


@pytest.fixture
def web() -> Iterator[SimpleNamespace]:
    """A web server that remembers what is asked of it."""
    seen = SimpleNamespace(hits=[])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.hits.append(self.path)
            self.send_response(200)
            self.send_header("access-control-allow-origin", "*")
            self.end_headers()

        do_POST = do_GET  # noqa: N815 - the library's name

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        seen.url = f"http://127.0.0.1:{server.server_port}/evil"
        yield seen
        server.shutdown()


ASK = """%%ask --model asked
What time is it?"""
ASKED = """from tooldeck.loops import scripted
from tooldeck.core.messages import Message, ToolRequest
asked = scripted([[("get_time", {})], "It is that late."])"""


def page_in(card: Locator) -> FrameLocator:
    return card.frame_locator("iframe").frame_locator("iframe")


def test_a_page_is_shown_its_calls_are_approved_and_a_hostile_one_gets_nothing(
    lab: Lab, web: SimpleNamespace
) -> None:
    command, pages = shlex.join([sys.executable, str(SERVER), web.url]), len(lab.page.context.pages)
    lab.open(
        [
            f'%load_ext tooldeck\n{ASKED}\ndeck.policy = "auto"',
            f"%mcp connect --label clock --reads get_* {command}",
            "deck.policy = 'default'\ndeck.mcp['clock'].get_time()",
            "deck.mcp['clock'].get_trouble()",
            ASK,
        ]
    )
    for index in range(3):
        lab.run_to_end(index, timeout=60)
    assert '"time": "11:59"' in lab.text(2)
    card = lab.output(2).locator(".td-appcard")
    expect(card.get_by_text("untrusted page of server")).to_be_visible(timeout=15_000)
    page = page_in(card)
    expect(page.get_by_text("zones: utc, cet")).to_be_visible(timeout=15_000)
    expect(page.get_by_role("heading")).to_have_text("It is 11:59")
    lab.screenshot("app-light")
    page.get_by_role("button", name="Make it noon").click()
    expect(card.get_by_text("asked by a page of server clock")).to_be_visible(timeout=15_000)
    lab.screenshot("app-asks")
    card.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("heading")).to_have_text("It is 12:00", timeout=15_000)
    lab.theme("dark")
    lab.screenshot("app-dark")
    lab.theme("light")

    lab.run_to_end(4)  # what a model calls shows its page too
    asked = lab.output(4).locator(".td-appcard")
    expect(page_in(asked).get_by_role("heading")).to_have_text("It is 12:00", timeout=15_000)
    lab.screenshot("app-asked", lab.output(4))

    lab.run_to_end(3)
    hostile = lab.output(3).locator(".td-appcard")
    said = hostile.get_by_text("tried {")
    expect(said).to_be_visible(timeout=15_000)
    lab.screenshot("app-hostile")
    tried = json.loads((said.text_content() or "").removeprefix("tried "))
    replies = tried.pop("replies")
    assert tried.pop("fetch") == "refused"
    assert set(tried.values()) <= {"SecurityError", "TypeError", "nothing", "true", "made"}, tried
    assert {tried[name] for name in ("parent", "top", "cookie", "storage", "leave")} == {"SecurityError"}
    assert (tried["popup"], tried["calls"]) == ("nothing", "TypeError")
    assert replies.pop("1") == "granted"
    assert "granted" not in replies.values()
    hostile.get_by_role("button", name="Stop").click()
    expect(hostile.locator("iframe")).to_have_count(0)
    assert web.hits == []
    assert lab.page.url.startswith(lab.server.url)
    assert len(lab.page.context.pages) == pages

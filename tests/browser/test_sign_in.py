"""Signing in to an MCP server from a notebook, with the browser here and with one elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from rig.lab import Lab

SERVER = Path(__file__).parents[1] / "mcp" / "servers" / "oauth.py"


@pytest.fixture
def site() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, str(SERVER)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    yield process.stdout.readline().split()[0] + "/mcp"
    process.kill()
    process.wait(10)
    process.stdout.close()


def test_a_person_signs_in_by_pasting_an_address_or_by_the_link_alone(lab: Lab, site: str) -> None:
    lab.open(
        [
            "%load_ext tooldeck",
            f"%mcp connect --label guarded {site}",
            "print(deck.mcp['guarded'].session.call('whisper').result(20).text)",
            "%mcp login guarded",
            "%mcp logout guarded",
        ]
    )
    lab.run_to_end(0)
    lab.run(1)
    card = lab.output(1).locator(".td-signin[data-phase='waiting']")
    card.wait_for(timeout=30_000)
    page = card.locator("a").get_attribute("href") or ""
    assert card.locator("a").text_content() == page
    lab.screenshot("sign-in-waiting", card)
    field = card.get_by_label("Where it ended")
    field.fill("http://127.0.0.1:1/callback?code=x&state=y")
    card.get_by_role("button", name="Sign in").click()
    card.get_by_text("not the address at which signing in ends").wait_for(timeout=10_000)
    lab.screenshot("sign-in-wrong", card)
    ended_at = httpx.get(page, trust_env=False).headers["location"]
    field.fill(ended_at)
    field.press("Enter")
    lab.wait_ended(1)
    assert "the address was pasted" in (lab.output(1).text_content() or "")
    lab.screenshot("sign-in-done", lab.output(1))
    lab.run_to_end(2)
    assert "hush" in lab.text(2)

    lab.run(3)
    link = lab.output(3).locator(".td-signin[data-phase='waiting'] a")
    link.wait_for(timeout=30_000)
    with lab.page.context.expect_page() as opened:
        link.click()
    opened.value.get_by_text("You can close this page").wait_for(timeout=10_000)
    opened.value.close()
    lab.wait_ended(3)
    assert "the browser came back" in (lab.output(3).text_content() or "")
    lab.run_to_end(4)
    assert "Signed out of guarded" in lab.text(4)
    lab.save()
    saved = json.dumps([lab.outputs(index) for index in range(5)])
    assert "code=" not in saved
    assert "access-" not in saved

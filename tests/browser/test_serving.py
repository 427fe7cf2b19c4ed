"""A call from an outside program is approved in the notebook by a click."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

from rig.lab import Lab
from serve_clients import connect

TOOLS = """
%load_ext tooldeck
@deck.tool(effects="write")
def note(text: str) -> str:
    "Write a note."
    return f"noted {text}"
@deck.tool(effects="read")
def notes() -> list[str]:
    "All notes."
    return []
"""
WHERE = "print(deck.servings[0].url, deck.servings[0].token)"


async def call(serving: Any, text: str) -> tuple[bool, str]:
    async with connect(serving) as client:
        result = await client.call_tool("note", {"text": text})
        return result.is_error, result.content[0].text


def test_a_call_of_another_program_is_approved_in_the_servers_card(lab: Lab) -> None:
    lab.open([TOOLS, "%mcp serve --allow note", WHERE])
    for number in range(2):
        lab.run_to_end(number)
    url, token = lab.run_to_end(2).split()
    lab.screenshot("serving")
    card = lab.output(1)
    assert token not in card.inner_text()
    card.get_by_role("button", name="Show token").click()
    card.get_by_text(token).first.wait_for(timeout=10_000)
    card.get_by_role("button", name="Hide token").click()
    serving = SimpleNamespace(url=url, token=token)
    with ThreadPoolExecutor(1) as outside:
        asked = outside.submit(lambda: asyncio.run(call(serving, "hi")))
        approve = card.get_by_role("button", name="Approve", exact=True)
        approve.wait_for(timeout=30_000)
        lab.screenshot("serving-asks")
        approve.click()
        assert asked.result(30) == (False, "noted hi")
    card.get_by_text("approved by you").first.wait_for(timeout=10_000)
    lab.save()
    assert token not in str(lab.outputs(1))
    card.get_by_role("button", name="Stop", exact=True).click()
    card.get_by_text("stopped").first.wait_for(timeout=10_000)
    lab.screenshot("serving-stopped")

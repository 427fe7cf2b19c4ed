"""MCP servers in JupyterLab: a prompt in a form, a model that answers, a definition that has changed."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from playwright.sync_api import expect
from rig.lab import Lab

SERVERS = Path(__file__).parents[1] / "mcp" / "servers"
LOAD = """%load_ext tooldeck
deck.policy = "auto"
from tooldeck.loops import scripted
deck.model = scripted(lambda messages: "Roses, " + messages[-1].text)"""

TURN = """from threading import Event
read = Event()
deck.mcp.handlers.on_tools_changed = lambda session: read.set()
deck.call("turn", about="Give back, <b>and more</b>.")
read.wait(20)
print(deck.call("echo").error)"""


def connect(label: str, *words: str) -> str:
    return f"%mcp connect --label {label} {shlex.join([sys.executable, *words])}"


def test_prompts_models_and_changed_definitions_are_in_the_persons_hands(lab: Lab) -> None:
    lab.open(
        [
            LOAD,
            connect("offers", str(SERVERS / "offers.py")),
            "card = %mcp prompt greet\ncard",
            "print(card.value.text)",
            'result = deck.call("poem", topic="roses"); print(result.error or result.value.text)',
            connect("raw", "-S", str(SERVERS / "raw.py")),
            TURN,
            "%mcp approve raw",
            'print(deck.call("echo", a=1).value.text)',
            'print(deck.call("sleep", report="on its way").error)',
            "%mcp close",
        ]
    )
    for index in range(3):
        lab.run_to_end(index, timeout=60)

    form = lab.output(2).locator(".td-toolcard").first
    name = form.get_by_role("combobox", name="name")
    name.fill("Ada")
    style = form.get_by_role("combobox", name="style")
    style.fill("w")
    offered = form.locator("datalist option[value='warm for Ada']")
    expect(offered).to_be_attached(timeout=15_000)
    style.fill("warm")
    form.locator("button", has_text="Get").click()
    form.get_by_text("Write a warm greeting for Ada.").first.wait_for(timeout=15_000)
    lab.screenshot("prompt-form")
    assert "Write a warm greeting for Ada." in lab.run_to_end(3)

    lab.run(4)
    asked = lab.output(4)
    asked.get_by_text("A poem about roses.").first.wait_for(timeout=20_000)
    asked.get_by_text("Be brief.").first.wait_for()
    asked.scroll_into_view_if_needed()
    lab.screenshot("sampling-asked")
    asked.get_by_role("button", name="Approve", exact=True).click()
    lab.wait_ended(4)
    assert "Roses, A poem about roses." in lab.text(4)

    lab.run_to_end(5, timeout=60)
    assert "has changed its definition" in lab.run_to_end(6)
    lab.run(7)
    asked = lab.output(7)
    asked.get_by_text("Give back, <b>and more</b>.").first.wait_for(timeout=20_000)
    asked.scroll_into_view_if_needed()
    lab.screenshot("pin-changed")
    asked.get_by_role("button", name="Approve", exact=True).click()
    lab.wait_ended(7)
    assert "Accepted for raw" in lab.text(7)
    assert '{"a": 1}' in lab.run_to_end(8)
    _cancel_by_key(lab, 9)
    assert "Closed" in lab.run_to_end(10)


def _cancel_by_key(lab: Lab, index: int) -> None:
    """End the call of a cell with its Cancel button, from the keyboard."""
    lab.run(index)
    cancel = lab.output(index).get_by_role("button", name="Cancel raw: sleep")
    cancel.wait_for(timeout=20_000)
    lab.screenshot("call-to-cancel", lab.output(index))
    lab.focus(cancel)
    lab.page.keyboard.press("Enter")
    lab.wait_ended(index)
    assert "sleep gave up: a person cancelled it." in lab.text(index)
    expect(cancel).to_be_hidden()
    lab.screenshot("call-cancelled", lab.output(index))

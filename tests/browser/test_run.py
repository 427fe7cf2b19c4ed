"""A run of a model in a cell: shown as it goes on, asked about, steered and stopped while the cell waits."""

from __future__ import annotations

from asking import press, ready
from playwright.sync_api import expect
from rig.lab import Lab

MODELS = """
import asyncio
from tooldeck.loops import ModelReply, ToolRequest

async def model(messages, tools):
    said = messages[-1]
    if len(messages) == 1:
        yield "I shall keep a note."
        yield ModelReply("I shall keep a note.", [ToolRequest("a", "write_note", {"text": "hello <b>"})])
    elif said.answers:
        yield "Kept; anything else?"
        while not deck.runs[-1]._messages:
            await asyncio.sleep(0.02)
    else:
        yield f"You said: {said.text}"

async def endless(messages, tools):
    while True:
        yield "on and on "
        await asyncio.sleep(0.02)

def quick(messages, tools):
    return "It is 3."
"""


def test_a_run_is_seen_asked_about_steered_and_stopped(lab: Lab) -> None:
    ready(lab, MODELS, "%%ask\nkeep a note", "%%ask --model endless\ngo on", "%%ask --model quick\nadd")
    lab.run_to_end(1)
    lab.run(2)
    panel = lab.output(2).locator("[data-tooldeck=run]")
    expect(panel.locator(".td-run-call")).to_contain_text("asks you", timeout=20_000)
    lab.screenshot("run-asks")
    press(lab, 2, "Approve")
    expect(panel.locator(".td-run-live")).to_contain_text("anything else?", timeout=20_000)
    panel.get_by_label("Say something to the model").fill("in French, please")
    panel.get_by_role("button", name="Send").click()
    lab.wait_ended(2)
    expect(panel).to_contain_text("You said: in French, please")
    expect(panel.get_by_label("Say something to the model")).to_be_hidden()
    panel.locator(".td-run-call summary").click()
    expect(panel.locator(".td-run-call details")).to_contain_text("kept hello")
    assert panel.locator(".td-run-call .td-trace-row").count() > 3
    names = panel.locator(".td-run-timeline .td-trace-stage").all_inner_texts()
    assert names == ["reply 1", "write_note", "reply 2", "reply 3"]
    lab.screenshot("run-done")
    lab.viewport(380)
    lab.theme("dark")
    lab.screenshot("run-done-narrow-dark")
    lab.viewport(1200)
    lab.run(3)
    other = lab.output(3).locator("[data-tooldeck=run]")
    expect(other.locator(".td-run-live")).to_contain_text("on and on", timeout=20_000)
    other.get_by_role("button", name="Stop").click()
    lab.wait_ended(3)
    expect(other.locator(".td-run-line")).to_contain_text("stopped")
    assert "stopped" in lab.text(3)
    lab.run_to_end(4)
    expect(lab.output(4).locator("[data-tooldeck=run]")).to_contain_text("It is 3.")
    kinds = [output["output_type"] for output in lab.outputs(4)]
    assert "stream" not in kinds, "over before it was drawn, and told as text as well"

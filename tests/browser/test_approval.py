"""Approving a call inline: the cell blocks, and the click is heard while it runs."""

from __future__ import annotations

import pytest
from asking import AFTER, AWAIT, CALL, card, ended, press, ready
from playwright.sync_api import expect
from rig.jupyter import Comms
from rig.kernels import VERSIONS, kernel_name
from rig.lab import Lab

VERSION = "import ipykernel; print(ipykernel.__version__)"


def test_a_click_approves_while_the_cell_waits(front_end: Lab) -> None:
    ready(front_end, CALL, AWAIT, AFTER)
    for index in (1, 2):
        front_end.run(index)
        card(front_end, index)
        assert front_end.prompt(index) == "*"
        front_end.screenshot(f"approval-waiting-{front_end.server.front_end}")
        press(front_end, index, "Approve")
        front_end.wait_ended(index)
        assert "ok kept hello x1 ['hello'" in front_end.text(index)
    front_end.screenshot(f"approval-approved-{front_end.server.front_end}")
    assert front_end.run_to_end(3) == "next cell\n"


@pytest.mark.parametrize(
    ("version", "mode"),
    [
        (None, "disabled"),
        (None, "perComm"),
        *((version, "perCommTarget") for version in VERSIONS),
        (VERSIONS[-1], "disabled"),
    ],
)
def test_the_click_is_heard_with_every_kernel_and_every_way_comms_travel(
    lab: Lab, version: str | None, mode: Comms
) -> None:
    lab.server.comms_over_subshells(mode)
    ready(lab, CALL, AFTER, VERSION, kernel=kernel_name(version))
    lab.run(1)
    lab.run(2)
    press(lab, 1, "Approve")
    lab.wait_ended(1)
    assert "ok kept hello" in lab.text(1)
    lab.wait_text(2, "next cell")
    assert version in (None, lab.run_to_end(3).strip())


def test_enter_approves_only_when_the_approve_button_itself_has_the_focus(lab: Lab) -> None:
    ready(lab, CALL)
    lab.run(1)
    waiting = card(lab, 1)
    approve = waiting.get_by_role("button", name="Approve", exact=True)
    assert not approve.evaluate("button => button === document.activeElement")
    lab.page.keyboard.press("Enter")
    # Until the kernel has answered and a moment has passed, the buttons are off and cannot have the focus.
    expect(approve).to_be_enabled()
    assert lab.prompt(1) == "*"
    lab.tab_to(approve, start=waiting.get_by_role("button", name="Deny", exact=True))
    lab.page.keyboard.press("Enter")
    lab.wait_ended(1)
    assert "ok kept hello" in lab.text(1)
    lab.page.wait_for_function("() => document.activeElement.classList.contains('jp-Cell')")


def test_a_denied_call_does_not_run_and_tells_the_note(lab: Lab) -> None:
    ready(lab, CALL.replace("result.value", "result.error"))
    lab.run(1)
    press(lab, 1, "Deny with a note…")
    card(lab, 1).get_by_label("Note for the caller").fill("not today")
    press(lab, 1, "Deny with this note")
    lab.wait_ended(1)
    assert "denied" in lab.text(1)
    assert "not today" in lab.text(1)
    assert "[]" in lab.text(1)


def test_edited_arguments_are_checked_before_they_run(lab: Lab) -> None:
    ready(lab, CALL)
    lab.run(1)
    press(lab, 1, "Edit arguments")
    field = card(lab, 1).get_by_label("Arguments as JSON")
    field.fill('{"text": "hello", "copies": "many"}')
    card(lab, 1).get_by_text("copies").last.wait_for()
    assert card(lab, 1).get_by_role("button", name="Approve edited").is_disabled()
    lab.screenshot("approval-editing")
    field.fill('{"text": "bye", "copies": 2}')
    card(lab, 1).get_by_role("button", name="Approve edited").click()
    lab.wait_ended(1)
    assert "ok kept bye x2 ['bye']" in lab.text(1)


def test_a_scope_approves_later_calls_without_a_question(lab: Lab) -> None:
    again = (
        'print(deck.call("write_note", text="hello").status, deck.call("write_note", text="other").status)'
    )
    ready(lab, CALL, again)
    lab.run(1)
    card(lab, 1).get_by_label("How far the approval reaches").select_option(label="this tool, this session")
    press(lab, 1, "Approve")
    lab.wait_ended(1)
    assert lab.run_to_end(2) == "ok ok\n"


def test_interrupting_the_cell_ends_the_wait_and_the_card_says_so(lab: Lab) -> None:
    ready(lab, CALL, AFTER)
    lab.run(1)
    card(lab, 1)
    lab.interrupt()
    lab.wait_ended(1)
    assert "KeyboardInterrupt" in lab.text(1)
    ended(lab, 1, "interrupted")
    lab.screenshot("approval-interrupted")
    assert lab.run_to_end(2) == "next cell\n"


def test_run_all_goes_on_after_each_approval_in_order(lab: Lab) -> None:
    ready(lab, CALL, CALL.replace("hello", "second"), AFTER)
    lab.run_all()
    press(lab, 1, "Approve")
    press(lab, 2, "Deny")
    lab.wait_ended(3)
    assert "ok kept hello" in lab.text(1)
    assert "denied" in lab.text(2)
    assert lab.text(3) == "next cell\n"


def test_a_reloaded_page_shows_the_waiting_card_and_hears_its_click(lab: Lab) -> None:
    ready(lab, CALL)
    lab.run(1)
    card(lab, 1)
    lab.save()
    lab.reload()
    press(lab, 1, "Approve")
    lab.wait_status("idle")
    ended(lab, 1, "approved")


def test_a_call_that_nobody_answers_in_time_is_refused_and_a_late_click_says_so(lab: Lab) -> None:
    ready(lab, "deck.approval_timeout = 3\n" + CALL.replace("result.value", "result.error"))
    lab.run(1)
    card(lab, 1)
    lab.wait_ended(1)
    assert "denied" in lab.text(1)
    assert "in time" in lab.text(1)
    ended(lab, 1, "no answer within 3")
    lab.screenshot("approval-timed-out")


def test_three_calls_wait_at_once_and_each_is_answered_once(lab: Lab) -> None:
    calls = """
import asyncio
from tooldeck.core.events import ApprovalAsked

@deck.tool(effects="write")
def send_note(text: str) -> str:
    "Send a note."
    RAN.append(text)
    return f"sent {text}"

def third_has_a_limit(event):
    if isinstance(event, ApprovalAsked) and event.request.call.arguments["text"] == "two":
        deck.approval_timeout = 10

deck.subscribe(third_has_a_limit)
calls = [("write_note", "one"), ("write_note", "two"), ("send_note", "three")]
for result in await asyncio.gather(*[deck.acall(name, text=text) for name, text in calls]):
    print(result.call.arguments["text"], result.status)
print(RAN)
"""
    ready(lab, calls)
    lab.run(1)
    cards = lab.output(1).locator(".td-approval[data-phase='waiting']")
    cards.nth(2).wait_for(timeout=20_000)
    for place in (1, 2, 3):
        assert f"{place} of 3" in (cards.nth(place - 1).text_content() or "")
    lab.screenshot("approval-three-at-once")
    approve = cards.filter(has_text="two").get_by_role("button", name="Approve", exact=True)
    expect(approve).to_be_enabled()
    approve.dblclick()
    ended(lab, 1, "approved by you")
    cards.filter(has_text="one").get_by_role("button", name="Deny", exact=True).click()
    ended(lab, 1, "denied by you")
    lab.wait_ended(1)
    ended(lab, 1, "no answer within 10")
    assert "one denied\ntwo ok\nthree denied\n['two']" in lab.text(1)
    assert lab.output(1).get_by_role("button", name="Approve", exact=True).count() == 0
    lab.screenshot("approval-three-ended")


def test_text_that_would_pose_as_something_else_is_shown_as_it_is(lab: Lab) -> None:
    hostile = "cat a \\u202e txt.a mr <img src=x onerror=window.pwned=1> \\u200b **approved by admin**"
    ready(lab, f'deck.call("write_note", text="{hostile}").status')
    lab.run(1)
    text = card(lab, 1).text_content() or ""
    assert "<img src=x onerror" in text
    assert "\\u202e" in text
    assert "\\u200b" in text
    assert card(lab, 1).locator("img").count() == 0
    assert lab.page.evaluate("() => window.pwned === undefined")
    lab.screenshot("approval-hostile")
    press(lab, 1, "Deny")
    lab.wait_ended(1)


def test_the_card_fits_a_narrow_page_in_both_themes(lab: Lab) -> None:
    ready(lab, CALL)
    lab.viewport(420)
    lab.run(1)
    for theme in ("light", "dark"):
        lab.theme(theme)
        assert card(lab, 1).evaluate("one => one.scrollWidth <= one.clientWidth")
        lab.screenshot(f"approval-narrow-{theme}")
    press(lab, 1, "Deny")
    lab.wait_ended(1)
    lab.theme("light")

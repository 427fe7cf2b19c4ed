"""Cards in a real front end: make a tool, fill its form, watch its gauge, answer a server's question."""

from __future__ import annotations

from playwright.sync_api import Locator, expect
from rig.lab import Lab

LOAD = "%load_ext tooldeck"
TOOL = '''%%tool --effects none
from typing import Literal

def book(city: str, seats: int = 1, grade: Literal["eco", "biz"] = "eco") -> str:
    """Book a seat on a flight.

    Args:
        city: where to fly
    """
    return f"{seats} {grade} to {city}"
'''
WRITES = '''%%tool --effects write
KEPT = []

def keep(text: str) -> int:
    """Keep a text."""
    KEPT.append(text)
    return len(KEPT)
'''
FAILS = '''%%tool --effects read --breaker 3 --retry 1
import time

def timetable(station: str = "Ulm") -> list[str]:
    """Departures."""
    time.sleep(0.4)
    raise ConnectionError("no answer")
'''
LOOP = """import time
for _ in range(5):
    deck.call("timetable")
    time.sleep(0.2)
print("loop ended")"""


def tool_card(lab: Lab, index: int) -> Locator:
    """Return the tool card in a cell's output, once it is drawn."""
    card = lab.output(index).locator(".td-toolcard").first
    card.wait_for(timeout=20_000)
    return card


def shown(card: Locator, text: str) -> Locator:
    """Return the first piece of a card with this text that is not on a tab behind."""
    return card.get_by_text(text).locator("visible=true").first


def press_run(card: Locator) -> None:
    """Press the button that runs the form."""
    card.locator("button", has_text="Run").first.click()


def test_a_tool_defined_in_a_cell_is_run_from_its_form(front_end: Lab) -> None:
    lab = front_end
    lab.open([LOAD, TOOL, "print([(r.status, r.value, str(r.call.caller.source)) for r in deck.history()])"])
    lab.run_to_end(0)
    lab.run_to_end(1)
    card = tool_card(lab, 1)
    card.get_by_label("city").first.fill("Tokyo")
    lab.screenshot(f"card-filled-{lab.server.front_end}")
    press_run(card)
    expect(shown(card, "1 eco to Tokyo")).to_be_visible(timeout=15_000)
    lab.screenshot(f"card-run-{lab.server.front_end}")
    assert "'1 eco to Tokyo', 'form'" in lab.run_to_end(2)


def test_a_form_says_beside_the_field_what_is_missing_and_nothing_runs(lab: Lab) -> None:
    lab.open([LOAD, TOOL, "print(len(deck.history()))"])
    lab.run_to_end(0)
    lab.run_to_end(1)
    card = tool_card(lab, 1)
    press_run(card)
    expect(shown(card, "required")).to_be_visible()
    lab.wait_status("idle")
    lab.screenshot("card-missing")
    assert lab.run_to_end(2) == "0\n"


def test_a_call_from_a_form_asks_in_the_tray_of_its_own_card(lab: Lab) -> None:
    lab.open([LOAD, WRITES, "print(KEPT)"])
    lab.run_to_end(0)
    lab.run_to_end(1)
    card = tool_card(lab, 1)
    card.get_by_label("text").first.fill("from the form")
    press_run(card)
    asking = card.locator(".td-approval[data-phase='waiting']")
    asking.wait_for(timeout=20_000)
    lab.screenshot("card-asking")
    asking.get_by_role("button", name="Approve", exact=True).click()
    card.locator(".td-approval[data-phase='approved']").wait_for(timeout=15_000)
    lab.wait_status("idle")
    assert lab.run_to_end(2) == "['from the form']\n"


def test_running_the_cell_again_changes_the_card_that_is_on_screen(lab: Lab) -> None:
    lab.open([LOAD, TOOL, TOOL.replace("Book a seat on a flight.", "Book a train seat.")])
    lab.run_to_end(0)
    lab.run_to_end(1)
    card = tool_card(lab, 1)
    lab.run_to_end(2)
    expect(card.get_by_text("Book a train seat.").first).to_be_visible(timeout=15_000)


def test_the_gauge_moves_while_a_loop_runs_in_one_cell(lab: Lab) -> None:
    lab.open([LOAD, FAILS, LOOP])
    lab.run_to_end(0)
    lab.run_to_end(1)
    card = tool_card(lab, 1)
    gauge = card.locator(".td-gauge").first
    lab.run(2)
    seen: list[str] = []
    while "open" not in "".join(seen) and len(seen) < 400:
        told = gauge.get_attribute("aria-label") or gauge.text_content() or ""
        if not seen or seen[-1] != told:
            seen.append(told)
        lab.page.wait_for_timeout(30)
    assert lab.prompt(2) == "*", f"the loop had ended before the gauge showed it: {seen}"
    lab.screenshot("gauge-open")
    assert len(seen) >= 3, seen
    lab.wait_ended(2)
    assert "loop ended" in lab.text(2)


def test_the_demo_server_is_connected_and_its_question_is_answered_in_the_cell_that_waits(lab: Lab) -> None:
    lab.open(
        [
            LOAD,
            "%mcp connect demo",
            "%policy allow order_coffee count_slowly",
            'print(deck.call("order_coffee", drink="espresso").value)',
            'print(deck.call("count_slowly", steps=4).value)',
            "%mcp close",
        ]
    )
    for index in range(3):
        lab.run_to_end(index, timeout=60)
    lab.output(1).locator(".td-session").first.wait_for(timeout=20_000)
    lab.screenshot("session-card")
    lab.run(3)
    question = lab.output(3)
    question.get_by_text("Which size of espresso?").first.wait_for(timeout=20_000)
    lab.screenshot("question-waiting")
    question.get_by_label("size").first.select_option(label="small")
    question.locator("button", has_text="Send").first.click()
    lab.wait_ended(3)
    assert "one small espresso" in lab.text(3)
    lab.screenshot("question-answered")
    lab.run(4)
    lab.output(4).get_by_text("count_slowly").first.wait_for(timeout=15_000)
    lab.wait_ended(4)
    assert "counted to 4" in lab.text(4)
    lab.screenshot("progress")
    assert "Closed demo." in lab.run_to_end(5)


def test_the_trace_is_shown_as_a_waterfall(lab: Lab) -> None:
    lab.open([LOAD, TOOL, 'deck.call("book", city="Oslo");', "%trace"])
    for index in range(4):
        lab.run_to_end(index)
    trace = lab.output(3).locator(".td-trace").first
    trace.wait_for(timeout=15_000)
    assert "arguments" in (trace.text_content() or "")
    trace.scroll_into_view_if_needed()
    lab.screenshot("trace")

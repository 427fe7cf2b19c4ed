"""A notebook whose tool asks before it runs, and the card that it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator
    from rig.lab import Lab

SETUP = """
%load_ext tooldeck
RAN = []

@deck.tool(effects="write")
def write_note(text: str, copies: int = 1) -> str:
    "Keep a note."
    RAN.append(text)
    return f"kept {text} x{copies}"
"""
CALL = 'result = deck.call("write_note", text="hello"); print(result.status, result.value, RAN)'
AWAIT = 'result = await deck.acall("write_note", text="hello"); print(result.status, result.value, RAN)'
AFTER = "print('next cell')"


def ready(lab: Lab, *cells: str, kernel: str = "python3") -> None:
    """Open a notebook whose first cell has loaded the deck and a tool that asks."""
    lab.open([SETUP, *cells], kernel=kernel)
    lab.run_to_end(0)


def card(lab: Lab, index: int) -> Locator:
    """Return the last waiting card in a cell's output, once it is drawn."""
    found = lab.output(index).locator(".td-approval[data-phase='waiting']").last
    found.wait_for(timeout=20_000)
    return found


def ended(lab: Lab, index: int, story: str) -> Locator:
    """Return what the output of a cell keeps of an approval that ended like this, once it is there."""
    found = lab.output(index).locator("details > summary", has_text=story).last
    found.wait_for(timeout=20_000)
    return found


def press(lab: Lab, index: int, name: str) -> None:
    """Press a button of the waiting card."""
    card(lab, index).get_by_role("button", name=name, exact=True).click()

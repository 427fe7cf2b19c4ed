"""A person clicks through the quickstart and meets every widget; and the picture of the README."""

from __future__ import annotations

import json

from rig.kernels import ROOT
from rig.lab import Lab

QUICKSTART = ROOT / "notebooks" / "01_quickstart.ipynb"

PICTURE = [
    "%load_ext tooldeck",
    '''%%tool --effects write
def book(city: str, seats: int = 1) -> str:
    """Book seats on a flight.

    Args:
        city: where to fly
    """
    return f"TD-1042: {seats} to {city}"
''',
    'deck.call("book", city="Tokyo", seats=2)',
]


def test_run_all_of_the_quickstart_meets_every_card_and_ends(lab: Lab) -> None:
    notebook = json.loads(QUICKSTART.read_text())
    (lab.server.root / "quickstart.ipynb").write_text(json.dumps(notebook))
    lab.visit("quickstart.ipynb")
    code = [index for index, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
    source = {index: "".join(notebook["cells"][index]["source"]) for index in code}
    asking = next(index for index in code if "Buy the train tickets" in source[index])
    ordering = next(index for index in code if 'order_coffee"' in source[index])
    lab.run_all()
    card = lab.output(asking).locator(".td-approval[data-phase='waiting']")
    card.wait_for(timeout=60_000)
    card.scroll_into_view_if_needed()
    lab.screenshot("quickstart-approval")
    card.get_by_role("button", name="Approve", exact=True).click()
    question = lab.output(ordering)
    question.get_by_text("Which size of espresso?").first.wait_for(timeout=60_000)
    question.get_by_label("size").first.select_option(label="medium")
    lab.screenshot("quickstart-question")
    question.locator("button", has_text="Send").first.click()
    lab.wait_ended(code[-1], timeout=60)
    assert "1 kept" in lab.text(asking)
    assert "one medium espresso" in lab.text(ordering)
    wrong = [
        lab.text(index) for index in code if "Traceback" in lab.text(index) or "Error:" in lab.text(index)
    ]
    assert [text for text in wrong if "ConnectionError" not in text and "invalid" not in text] == []


def test_the_picture_of_the_readme_shows_a_card_and_an_approval(lab: Lab) -> None:
    lab.open(PICTURE)
    lab.viewport(1000, 1000)
    for index in (0, 1):
        lab.run_to_end(index)
    lab.run(2)
    card = lab.output(2).locator(".td-approval[data-phase='waiting']")
    card.wait_for(timeout=20_000)
    lab.page.wait_for_timeout(700)
    lab.screenshot("readme", lab.page.locator(".jp-Notebook").first)
    card.get_by_role("button", name="Approve", exact=True).click()
    lab.wait_ended(2)
    assert "TD-1042: 2 to Tokyo" in lab.text(2)
